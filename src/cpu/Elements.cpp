#include "cpu/Elements.h"

#include "dialect/Tile.h"

#include "llvm/IR/Constants.h"

using namespace mlir;

namespace nereid::cpu {

bool isTile(Type type) { return isa<RankedTensorType>(type); }

llvm::Type *registerType(llvm::LLVMContext &context, Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isF32())
    return llvm::Type::getFloatTy(context);
  if (type.isF64())
    return llvm::Type::getDoubleTy(context);
  if (isa<tile::PtrType, tile::DescType, IndexType>(type))
    return llvm::Type::getInt64Ty(context);
  return llvm::Type::getIntNTy(context, type.getIntOrFloatBitWidth());
}

llvm::Type *memoryType(llvm::LLVMContext &context, Type type) {
  llvm::Type *inRegister = registerType(context, type);
  return inRegister->isIntegerTy(1) ? llvm::Type::getInt8Ty(context) : inRegister;
}

unsigned elementBytes(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<tile::PtrType, tile::DescType, IndexType>(type))
    return 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

llvm::Constant *scalarConstant(llvm::LLVMContext &context, Attribute value, Type type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    value = dense.getSplatValue<Attribute>();
  llvm::Type *to = registerType(context, type);
  if (auto number = dyn_cast<FloatAttr>(value)) {
    llvm::APInt bits = number.getValue().bitcastToAPInt();
    if (to->isIntegerTy())
      return llvm::ConstantInt::get(context, bits);
    return llvm::ConstantFP::get(context, number.getValue());
  }
  return llvm::ConstantInt::get(context, cast<IntegerAttr>(value).getValue().sextOrTrunc(to->getIntegerBitWidth()));
}

} // namespace nereid::cpu
