// Math.h: functions of math and of libraries: the GPU's own instructions where Triton uses them, else the shared bodies.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

// Null: there is no such function.
llvm::Value *emitMathOp(Lowering &lowering, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
// Null after a failure.
llvm::Value *emitDeviceFunction(Lowering &lowering, tile::ExternOp call, llvm::ArrayRef<llvm::Value *> operands);

} // namespace nereid::gpu
