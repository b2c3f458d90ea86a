// Approximate.h: mathematical functions that are one instruction on NVIDIA's GPUs.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

// Those that are not exact, for f32, as Triton has them; null: it is none of them.
llvm::Value *emitApproximate(Lowering &lowering, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
// max.f32 and its kin are exactly what is meant, zeros and NaN included; null: it is none of them.
llvm::Value *emitExtremum(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
// Bytes of two words in another order; null: it is something else.
llvm::Value *emitPermuted(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);

} // namespace nereid::gpu
