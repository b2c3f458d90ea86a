// UnitReader.cpp: elements of an operand as vectors of packed units.
#include "cpu/dot/UnitReader.h"

#include "llvm/IR/Intrinsics.h"

#include <numeric>

namespace nereid::cpu::dot {

using llvm::Value;

llvm::Type *UnitReader::memoryType() {
  if (element == DotElement::F32)
    return builder.getFloatTy();
  if (element == DotElement::F64)
    return builder.getDoubleTy();
  return builder.getIntNTy(bitsOf(element));
}

Value *UnitReader::elementAt(Value *from, Value *index) { return builder.CreateGEP(memoryType(), from, index); }

Value *UnitReader::zeroElements(unsigned count) {
  return llvm::Constant::getNullValue(llvm::FixedVectorType::get(memoryType(), count));
}

Value *UnitReader::zeros(unsigned lanes) {
  return llvm::Constant::getNullValue(llvm::FixedVectorType::get(unitType(builder.getContext(), plan.unit), lanes));
}

// Exactly the elements that exist are read: what follows them may not be mapped.
Value *UnitReader::loadElements(Value *from, int64_t valid, unsigned count) {
  valid = std::min<int64_t>(valid, count);
  llvm::Align align(bitsOf(element) / 8);
  auto *type = llvm::FixedVectorType::get(memoryType(), valid);
  Value *loaded = builder.CreateAlignedLoad(type, from, align);
  if (valid == count)
    return loaded;
  llvm::SmallVector<int, 64> mask(count, valid);
  std::iota(mask.begin(), mask.begin() + valid, 0);
  return builder.CreateShuffleVector(loaded, llvm::Constant::getNullValue(type), mask);
}

static std::optional<NarrowFloat> narrowFloatOf(DotElement element) {
  switch (element) {
  case DotElement::F16: return NarrowFloat::F16;
  case DotElement::BF16: return NarrowFloat::BF16;
  case DotElement::F8E4M3FN: return NarrowFloat::F8E4M3FN;
  case DotElement::F8E5M2: return NarrowFloat::F8E5M2;
  case DotElement::F8E4M3FNUZ: return NarrowFloat::F8E4M3FNUZ;
  case DotElement::F8E5M2FNUZ: return NarrowFloat::F8E5M2FNUZ;
  case DotElement::F8E4M3B11FNUZ: return NarrowFloat::F8E4M3B11FNUZ;
  default: return std::nullopt;
  }
}

Value *UnitReader::convert(Value *elements) {
  auto *vector = llvm::cast<llvm::FixedVectorType>(elements->getType());
  switch (plan.unit) {
  case DotUnit::BF16x2:
  case DotUnit::I8x4: return elements;
  case DotUnit::I16x2:
  case DotUnit::I32: {
    auto *type = vector->getWithNewBitWidth(plan.unit == DotUnit::I32 ? 32 : 16);
    bool isUnsigned = element == DotElement::U8 || element == DotElement::U16;
    return builder.CreateIntCast(elements, type, !isUnsigned);
  }
  case DotUnit::F32:
  case DotUnit::F64: break;
  }
  if (std::optional<NarrowFloat> type = narrowFloatOf(element))
    elements = widen(builder, target, elements, *type);
  llvm::Type *unit = unitType(builder.getContext(), plan.unit);
  return builder.CreateFPCast(elements, llvm::FixedVectorType::get(unit, vector->getNumElements()));
}

// Element g of every unit is vector g.
Value *UnitReader::groupElements(llvm::ArrayRef<Value *> elements) {
  if (plan.group == 1)
    return elements[0];
  Value *units = nullptr;
  unsigned bits = plan.unitBits / plan.group;
  for (auto [g, vector] : llvm::enumerate(elements)) {
    auto *type = llvm::cast<llvm::FixedVectorType>(vector->getType())->getWithNewBitWidth(plan.unitBits);
    Value *wide = builder.CreateShl(builder.CreateZExt(vector, type), g * bits);
    units = units ? builder.CreateOr(units, wide) : wide;
  }
  return units;
}

Value *UnitReader::unitsOf(Value *elements) {
  unsigned count = llvm::cast<llvm::FixedVectorType>(elements->getType())->getNumElements();
  llvm::Type *unit = unitType(builder.getContext(), plan.unit);
  return builder.CreateBitCast(convert(elements), llvm::FixedVectorType::get(unit, count / plan.group));
}

Value *UnitReader::readAcross(Value *from, Value *depthStride, int64_t validLanes, int64_t validGroup, unsigned lanes) {
  llvm::SmallVector<Value *, 4> elements;
  for (int64_t g = 0; g < validGroup && g < plan.group; ++g) {
    Value *row = g == 0 ? from : elementAt(from, builder.CreateMul(depthStride, builder.getInt64(g)));
    elements.push_back(convert(loadElements(row, validLanes, lanes)));
  }
  return groupElements(elements);
}

Value *UnitReader::readStrided(Value *from, Value *laneStride, Value *depthStride, unsigned lanes,
                               llvm::function_ref<bool(int64_t lane, int64_t g)> exists) {
  llvm::SmallVector<Value *, 4> elements;
  auto *type = llvm::FixedVectorType::get(memoryType(), lanes);
  for (unsigned g = 0; g < plan.group; ++g) {
    Value *vector = llvm::Constant::getNullValue(type);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!exists(lane, g))
        continue;
      Value *index = builder.CreateAdd(builder.CreateMul(laneStride, builder.getInt64(lane)),
                                       builder.CreateMul(depthStride, builder.getInt64(g)));
      Value *loaded = builder.CreateAlignedLoad(memoryType(), elementAt(from, index), llvm::Align(bitsOf(element) / 8));
      vector = builder.CreateInsertElement(vector, loaded, lane);
    }
    elements.push_back(convert(vector));
  }
  return groupElements(elements);
}

// To 10 bits of mantissa (to nearest, ties away from zero; what is not finite stays).
Value *UnitReader::round(Value *units) {
  if (plan.unit != DotUnit::F32 || precision == DotPrecision::IEEE)
    return units;
  auto *type = llvm::cast<llvm::FixedVectorType>(units->getType());
  auto *bitsType = llvm::FixedVectorType::get(builder.getInt32Ty(), type->getNumElements());
  auto constant = [&](uint32_t bits) { return llvm::ConstantInt::get(bitsType, bits); };
  Value *bits = builder.CreateBitCast(units, bitsType);
  Value *rounded = builder.CreateAnd(builder.CreateAdd(bits, constant(0x1000)), constant(~uint32_t(0x1fff)));
  Value *isFinite = builder.CreateICmpULT(builder.CreateAnd(bits, constant(0x7fffffff)), constant(0x7f800000));
  return builder.CreateBitCast(builder.CreateSelect(isFinite, rounded, bits), type);
}

} // namespace nereid::cpu::dot
