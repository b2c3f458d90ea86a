#include "gpu/lower/Math.h"

#include "codegen/Lanes.h"
#include "codegen/math/Math.h"
#include "gpu/lower/FloatCast.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::gpu {

using codegen::Operands;

static llvm::Value *callOnLanes(llvm::IRBuilder<> &builder, llvm::Intrinsic::ID id, Operands operands,
                                llvm::ArrayRef<llvm::Type *> types = {}) {
  return codegen::mapLanes(builder, operands,
                           [&](Operands scalars) { return builder.CreateIntrinsic(id, types, scalars); });
}

// Instructions that are not exact, for f32, as Triton has them.
static llvm::Value *emitApproximate(Lowering &lowering, llvm::StringRef name, Operands operands) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto exp2 = [&](llvm::Value *x) {
    auto id = lowering.options.choices.flushesDenormals ? llvm::Intrinsic::nvvm_ex2_approx_ftz
                                                        : llvm::Intrinsic::nvvm_ex2_approx;
    return callOnLanes(builder, id, {x}, {builder.getFloatTy()});
  };
  if (name == "math.exp" || name == "__nv_fast_expf")
    return exp2(builder.CreateFMul(operands[0], llvm::ConstantFP::get(operands[0]->getType(), 1.4426950408889634)));
  if (name == "math.exp2")
    return exp2(operands[0]);
  if (name == "arith.divf")
    return callOnLanes(builder, llvm::Intrinsic::nvvm_div_full, operands);
  if (name == "math.sqrt")
    return callOnLanes(builder, llvm::Intrinsic::nvvm_sqrt_approx_f, operands);
  if (name == "math.rsqrt" || name == "__nv_rsqrtf")
    return callOnLanes(builder, llvm::Intrinsic::nvvm_rsqrt_approx_f, operands);
  return nullptr;
}

// max.f32 and its kin are exactly what is meant, zeros and NaN included.
static llvm::Value *emitExtremum(llvm::IRBuilder<> &builder, llvm::StringRef name, Operands operands) {
  bool isDouble = operands[0]->getType()->getScalarType()->isDoubleTy();
  auto call = [&](llvm::Intrinsic::ID id, llvm::Value *a, llvm::Value *b) { return callOnLanes(builder, id, {a, b}); };
  auto most = isDouble ? llvm::Intrinsic::nvvm_fmax_d : llvm::Intrinsic::nvvm_fmax_f;
  auto least = isDouble ? llvm::Intrinsic::nvvm_fmin_d : llvm::Intrinsic::nvvm_fmin_f;
  if (name == "arith.maxnumf")
    return call(most, operands[0], operands[1]);
  if (name == "arith.minnumf")
    return call(least, operands[0], operands[1]);
  if (name == "math.clampf")
    return call(least, call(most, operands[0], operands[1]), operands[2]);
  if (name == "arith.maximumf" && !isDouble)
    return call(llvm::Intrinsic::nvvm_fmax_nan_f, operands[0], operands[1]);
  if (name == "arith.minimumf" && !isDouble)
    return call(llvm::Intrinsic::nvvm_fmin_nan_f, operands[0], operands[1]);
  return nullptr;
}

llvm::Value *emitMathOp(Lowering &lowering, llvm::StringRef name, Operands operands) {
  if (operands.empty())
    return nullptr;
  llvm::Type *element = operands[0]->getType()->getScalarType();
  if (element->isFloatTy())
    if (llvm::Value *value = emitApproximate(lowering, name, operands))
      return value;
  if (element->isFloatTy() || element->isDoubleTy())
    if (llvm::Value *value = emitExtremum(lowering.builder, name, operands))
      return value;
  if (name == "math.fma")
    return lowering.builder.CreateIntrinsic(llvm::Intrinsic::fma, {operands[0]->getType()}, operands);
  if (!element->isFloatTy() && !element->isDoubleTy())
    return nullptr;
  return codegen::emitMath(lowering.builder, mathTarget(), name, operands);
}

// The norm of four is the norm of the norm of three and the fourth.
static llvm::Value *emitNorm(llvm::IRBuilder<> &builder, llvm::StringRef name, Operands operands) {
  if (!name.contains("norm4d"))
    return nullptr;
  bool isSingle = name.ends_with("f"), isReciprocal = name.contains("rnorm");
  llvm::Value *three =
      codegen::emitMath(builder, mathTarget(), isSingle ? "__nv_norm3df" : "__nv_norm3d", operands.take_front(3));
  std::string last = std::string("__nv_") + (isReciprocal ? "r" : "") + (isSingle ? "hypotf" : "hypot");
  return three ? codegen::emitMath(builder, mathTarget(), last, {three, operands[3]}) : nullptr;
}

// A function that libdevice brings (nvidia/Libdevice.h).
static llvm::Value *callLibrary(Lowering &lowering, tile::ExternOp call, Operands operands) {
  llvm::StringRef name = call.getSymbol();
  bool isKnown = name.starts_with("__nv_") || !lowering.options.choices.libraries.empty();
  if (!isKnown || operands.empty())
    return nullptr;
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType()->getScalarType());
  llvm::Type *result = lowering.elementType(call.getResult().getType());
  if (result->isIntegerTy(1))
    result = lowering.builder.getInt32Ty();
  llvm::FunctionCallee callee =
      lowering.module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  return codegen::mapLanes(lowering.builder, operands,
                           [&](Operands scalars) { return lowering.builder.CreateCall(callee, scalars); });
}

llvm::Value *emitDeviceFunction(Lowering &lowering, tile::ExternOp call, Operands operands) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::StringRef name = call.getSymbol();
  Values values;
  for (llvm::Value *value : operands) // truth values count as 32-bit numbers
    values.push_back(value->getType()->getScalarSizeInBits() == 1
                         ? builder.CreateZExt(value, codegen::withLanes(builder.getInt32Ty(), value))
                         : value);
  bool isSingle = !values.empty() && values[0]->getType()->getScalarType()->isFloatTy();
  llvm::Value *result = isSingle ? emitApproximate(lowering, name, values) : nullptr;
  if (!result && !values.empty())
    result = emitNorm(builder, name, values);
  if (!result && !values.empty())
    result = emitRounded(lowering, name, values);
  if (!result && !values.empty())
    result = codegen::emitMath(builder, mathTarget(), name, values);
  if (!result)
    result = callLibrary(lowering, call, values);
  if (!result) {
    lowering.fail(call, "the device function `" + name.str() + "` is not known");
    return nullptr;
  }
  if (lowering.elementType(call.getResult().getType())->isIntegerTy(1) && result->getType()->getScalarSizeInBits() != 1)
    result = builder.CreateICmpNE(result, llvm::Constant::getNullValue(result->getType()));
  return result;
}

} // namespace nereid::gpu
