#include "cpu/Elements.h"

#include "dialect/Tile.h"

#include "llvm/IR/Constants.h"

using namespace mlir;

namespace nereid::cpu {

bool isTile(Type type) { return isa<RankedTensorType>(type); }

std::optional<NarrowFloat> narrowFloatOf(Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isF16())
    return NarrowFloat::F16;
  if (type.isBF16())
    return NarrowFloat::BF16;
  if (isa<Float8E4M3FNType>(type))
    return NarrowFloat::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return NarrowFloat::F8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return NarrowFloat::F8E4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(type))
    return NarrowFloat::F8E5M2FNUZ;
  if (isa<Float8E4M3B11FNUZType>(type))
    return NarrowFloat::F8E4M3B11FNUZ;
  return std::nullopt;
}

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
