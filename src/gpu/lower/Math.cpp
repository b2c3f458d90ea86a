#include "gpu/lower/Math.h"

#include "codegen/Lanes.h"
#include "codegen/math/Math.h"
#include "gpu/lower/FloatCast.h"
#include "gpu/nvidia/Approximate.h"

using namespace mlir;

namespace nereid::gpu {

using codegen::Operands;

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
