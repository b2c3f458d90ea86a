#include "gpu/lower/FewBits.h"

#include "codegen/Lanes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

namespace nereid::gpu {

std::optional<unsigned> bitsOf(llvm::IRBuilder<> &b, llvm::Value *value, bool isSigned) {
  llvm::KnownBits known = llvm::computeKnownBits(value, b.GetInsertBlock()->getModule()->getDataLayout());
  return isSigned && !known.isNonNegative() ? std::nullopt : std::optional(known.countMaxActiveBits());
}

llvm::Value *fromSmall(llvm::IRBuilder<> &b, llvm::Value *value, bool isSigned, llvm::Type *to) {
  unsigned below = to->isHalfTy() ? 10 : to->isBFloatTy() ? 7 : 23;                      // bits of n
  const uint32_t one = to->isHalfTy() ? 0x6400 : to->isBFloatTy() ? 0x4300 : 0x4B000000; // the power's bits
  double power = 1 << below;
  unsigned width = value->getType()->getScalarSizeInBits(), bytes = to->getScalarSizeInBits() / 8;
  llvm::Type *word = codegen::withLanes(b.getIntNTy(8 * bytes), value), *type = codegen::withLanes(to, value);
  auto *lanes = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  std::optional<unsigned> bits = bitsOf(b, value, isSigned);
  bool fits = bits && *bits <= below;
  bool isFaster = to->isHalfTy() || (to->isBFloatTy() ? fits : isSigned);
  if (width == 8 && lanes && lanes->getNumElements() % 4 == 0 && isFaster) {
    if (isSigned && !to->isBFloatTy()) {
      value = b.CreateXor(value, llvm::ConstantInt::get(lanes, 0x80)); // n + 128
      power += 128;
    } else {
      value = b.CreateFreeze(value); // keeps LLVM from taking loaded words apart
    }
    // Each byte below those of the power: one permutation.
    llvm::SmallVector<llvm::Constant *> rest(lanes->getNumElements(), b.getInt8(0));
    rest[0] = b.getInt8(uint8_t(one >> (8 * bytes - 8)));
    llvm::SmallVector<int> places;
    for (int i = 0, count = int(rest.size()); i < count; ++i) {
      places.push_back(i);
      places.append(bytes - 2, count + 1);
      places.push_back(count);
    }
    value = b.CreateShuffleVector(value, llvm::ConstantVector::get(rest), places);
  } else if (bytes == 2 && width > 1 && fits) {
    value = b.CreateOr(b.CreateZExtOrTrunc(value, word), llvm::ConstantInt::get(word, one));
  } else {
    return nullptr;
  }
  return b.CreateFSub(b.CreateBitCast(value, type), llvm::ConstantFP::get(type, power));
}

llvm::Value *shiftInWords(llvm::IRBuilder<> &b, codegen::Operands operands, bool isLeft) {
  auto *lanes = llvm::dyn_cast<llvm::FixedVectorType>(operands[0]->getType());
  auto *constant = llvm::dyn_cast<llvm::Constant>(operands[1]);
  auto *amount = constant ? llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getSplatValue()) : nullptr;
  unsigned width = lanes ? lanes->getScalarSizeInBits() : 0;
  bool isNarrow = width == 8 || width == 16;
  if (!isNarrow || !amount || lanes->getNumElements() * width % 32 || amount->uge(width))
    return nullptr;
  unsigned by = unsigned(amount->getZExtValue());
  auto *words = llvm::FixedVectorType::get(b.getInt32Ty(), lanes->getNumElements() * width / 32);
  llvm::Value *value = b.CreateBitCast(b.CreateFreeze(operands[0]), words);
  value = isLeft ? b.CreateShl(value, by) : b.CreateLShr(value, by);
  llvm::APInt kept =
      isLeft ? llvm::APInt::getHighBitsSet(width, width - by) : llvm::APInt::getLowBitsSet(width, width - by);
  return b.CreateAnd(b.CreateBitCast(value, lanes), llvm::ConstantInt::get(lanes, kept));
}

} // namespace nereid::gpu
