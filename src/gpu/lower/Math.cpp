#include "gpu/lower/Math.h"

#include "codegen/Lanes.h"
#include "codegen/math/Math.h"
#include "gpu/lower/FloatCast.h"

using namespace mlir;

namespace nereid::gpu {

using codegen::Operands;

llvm::Value *emitMathOp(Lowering &lowering, llvm::StringRef name, Operands operands) {
  if (operands.empty())
    return nullptr;
  llvm::Type *element = operands[0]->getType()->getScalarType();
  if (llvm::Value *value = lowering.instructions.function(lowering, name, operands))
    return value;
  if (name == "math.fma") {
    // With a factor of 1 it becomes an addition, which takes what it is given: a product that was rounded stays so.
    llvm::IRBuilderBase::FastMathFlagGuard guard(lowering.builder);
    lowering.builder.clearFastMathFlags();
    return lowering.builder.CreateIntrinsic(llvm::Intrinsic::fma, {operands[0]->getType()}, operands);
  }
  if (!element->isFloatTy() && !element->isDoubleTy())
    return nullptr;
  return codegen::emitMath(lowering.builder, mathTarget(), name, operands);
}

// A function that a library brings.
static llvm::Value *callLibrary(Lowering &lowering, tile::ExternOp call, Operands operands) {
  llvm::StringRef name = call.getSymbol();
  bool isKnown = Instructions::isInLibrary(name) || !lowering.options.choices.libraries.empty();
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
  llvm::Value *result = nullptr;
  if (!values.empty())
    result = lowering.instructions.deviceFunction(lowering, name, values);
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
