// FloatCast.h: between narrow floats and the types that arithmetic is done in.
#pragma once

#include "codegen/math/MathTarget.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/IR/IRBuilder.h"

namespace nereid::gpu {

class Lowering;

// What the shared bodies of functions may use on a GPU.
const codegen::MathTarget &mathTarget();

// f16, bf16 and fp8 as f32; everything else as it is. `type` is that of tile IR.
llvm::Value *widenFloat(Lowering &lowering, llvm::Value *value, mlir::Type type);
// f32 or f64 to the float type that `type` is, rounded to nearest even or cut. Of other types it is the value itself.
llvm::Value *narrowFloat(Lowering &lowering, llvm::Value *value, mlir::Type type, bool cut);

} // namespace nereid::gpu
