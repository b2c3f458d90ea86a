// ByteFloat.h: casts of 8-bit floats by instructions, where the GPU has them.
#pragma once

#include "gpu/Options.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/IR/IRBuilder.h"

namespace nereid::gpu {

// To f16, which holds every value of e4m3 and e5m2; nullptr where there is no instruction for it.
llvm::Value *widenBytes(llvm::IRBuilder<> &builder, llvm::Value *bytes, mlir::Type type, const Options &options);
// From f32, to nearest, as the interpreter does: what is too large becomes the largest number, a NaN keeps its sign.
// nullptr where there is no instruction for it.
llvm::Value *narrowToBytes(llvm::IRBuilder<> &builder, llvm::Value *value, mlir::Type type, const Options &options);

} // namespace nereid::gpu
