// ByteFloat.cpp: the instructions take two values at a time, and registers hold four bytes: tiles are taken apart in
// fours.
#include "gpu/lower/ByteFloat.h"

#include "gpu/lower/Instructions.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

namespace {

using Values = llvm::SmallVector<llvm::Value *>;

unsigned lanesOf(llvm::Value *value) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? vector->getNumElements() : 1;
}

llvm::Value *laneOf(llvm::IRBuilder<> &builder, llvm::Value *value, unsigned lane) {
  return value->getType()->isVectorTy() ? builder.CreateExtractElement(value, lane) : value;
}

// The scalars as the value that `like` is: a vector, or one of them.
llvm::Value *joined(llvm::IRBuilder<> &builder, llvm::ArrayRef<llvm::Value *> scalars, llvm::Value *like) {
  if (!like->getType()->isVectorTy())
    return scalars[0];
  llvm::Value *result = llvm::PoisonValue::get(llvm::FixedVectorType::get(scalars[0]->getType(), lanesOf(like)));
  for (auto [lane, scalar] : llvm::enumerate(scalars))
    result = builder.CreateInsertElement(result, scalar, lane);
  return result;
}

llvm::Value *chooseBytes(llvm::IRBuilder<> &builder, llvm::Value *low, llvm::Value *high, uint32_t selection) {
  return Instructions(builder).chooseBytes(low, high, selection);
}

// The word that lane `lane` is in; the number of lanes is a multiple of four.
llvm::Value *wordOf(llvm::IRBuilder<> &builder, llvm::Value *bytes, unsigned lane) {
  int start = int(lane / 4 * 4);
  if (lanesOf(bytes) > 4)
    bytes = builder.CreateShuffleVector(bytes, {start, start + 1, start + 2, start + 3});
  return builder.CreateBitCast(bytes, builder.getInt32Ty());
}

// Lanes `first` and the next as one 16-bit number; behind the end there are zeros.
llvm::Value *pairOfBytes(llvm::IRBuilder<> &builder, llvm::Value *bytes, unsigned first) {
  unsigned count = lanesOf(bytes);
  llvm::Type *pair = builder.getInt16Ty();
  if (count % 4 == 0) {
    llvm::Value *word = wordOf(builder, bytes, first);
    return builder.CreateTrunc(first % 4 ? builder.CreateLShr(word, 16) : word, pair);
  }
  llvm::Value *low = builder.CreateZExt(laneOf(builder, bytes, first), pair);
  if (first + 1 == count)
    return low;
  return builder.CreateOr(low, builder.CreateShl(builder.CreateZExt(laneOf(builder, bytes, first + 1), pair), 8));
}

// A pair of e5m2 as f16: each is the upper half of one.
llvm::Value *widenWithPadding(llvm::IRBuilder<> &builder, llvm::Value *bytes, unsigned first) {
  auto *type = llvm::FixedVectorType::get(builder.getHalfTy(), 2);
  llvm::Value *zero = builder.getInt32(0);
  if (lanesOf(bytes) % 4 == 0)
    return builder.CreateBitCast(chooseBytes(builder, wordOf(builder, bytes, first), zero, first % 4 ? 0x3424 : 0x1404),
                                 type);
  llvm::Value *pair = builder.CreateZExt(pairOfBytes(builder, bytes, first), builder.getInt32Ty());
  return builder.CreateBitCast(chooseBytes(builder, pair, zero, 0x1404), type);
}

} // namespace

llvm::Value *widenBytes(llvm::IRBuilder<> &builder, llvm::Value *bytes, Type type, const Options &options) {
  bool isPadded = isa<Float8E5M2Type>(type);
  if (!isPadded && !(isa<Float8E4M3FNType>(type) && options.target.hasFp8))
    return nullptr;
  Values halves;
  for (unsigned lane = 0, count = lanesOf(bytes); lane < count; lane += 2) {
    llvm::Value *both = isPadded ? widenWithPadding(builder, bytes, lane)
                                 : Instructions(builder).widenE4m3(pairOfBytes(builder, bytes, lane));
    for (unsigned i = 0; i < 2 && lane + i < count; ++i)
      halves.push_back(builder.CreateExtractElement(both, i));
  }
  return joined(builder, halves, bytes);
}

llvm::Value *narrowToBytes(llvm::IRBuilder<> &builder, llvm::Value *value, Type type, const Options &options) {
  bool isWideExponent = isa<Float8E5M2Type>(type);
  if (!value->getType()->getScalarType()->isFloatTy() || !options.target.hasFp8 ||
      !(isWideExponent || isa<Float8E4M3FNType>(type)))
    return nullptr;
  unsigned count = lanesOf(value);
  llvm::Value *zero = llvm::ConstantFP::getZero(builder.getFloatTy());
  Values bytes;
  for (unsigned first = 0; first < count; first += 4) {
    unsigned here = std::min(4u, count - first);
    Values lanes;
    for (unsigned i = 0; i < 4; ++i)
      lanes.push_back(i < here ? laneOf(builder, value, first + i) : zero);
    auto pair = [&](unsigned i) {
      Instructions instructions(builder);
      llvm::Value *both = isWideExponent ? instructions.narrowToE5m2(lanes[i + 1], lanes[i])
                                         : instructions.narrowToE4m3(lanes[i + 1], lanes[i]);
      return builder.CreateZExt(both, builder.getInt32Ty());
    };
    llvm::Value *word = pair(0);
    if (here > 2)
      word = chooseBytes(builder, word, pair(2), 0x5410);
    // A NaN comes without its sign; of everything else the sign is there already.
    auto bits = [&](unsigned i) { return builder.CreateBitCast(lanes[i], builder.getInt32Ty()); };
    llvm::Value *signs = chooseBytes(builder, bits(0), bits(1), 0x7373);
    if (here > 2)
      signs = chooseBytes(builder, signs, chooseBytes(builder, bits(2), bits(3), 0x7373), 0x5410);
    signs = builder.CreateAnd(signs, builder.getInt32(0x80808080u));
    word = builder.CreateOr(word, signs);
    llvm::Value *four = builder.CreateBitCast(word, llvm::FixedVectorType::get(builder.getInt8Ty(), 4));
    for (unsigned i = 0; i < here; ++i)
      bytes.push_back(builder.CreateExtractElement(four, i));
  }
  return joined(builder, bytes, value);
}

} // namespace nereid::gpu
