// Threads.cpp: which elements a thread holds, and how threads exchange values.
#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

using layout::Dim;
using layout::F2Vector;

// The XOR of the columns of the bits that are set in `index`. Runs of bits that keep their order are one shift.
llvm::Value *Lowering::linearMap(llvm::Value *index, llvm::ArrayRef<F2Vector> columns) {
  llvm::Value *sum = nullptr;
  uint64_t used = 0;
  for (unsigned bit = 0; bit < columns.size();) {
    if (!columns[bit]) {
      ++bit;
      continue;
    }
    unsigned length = 1;
    bool isSingle = llvm::isPowerOf2_64(columns[bit]);
    while (isSingle && bit + length < columns.size() && columns[bit + length] == columns[bit] << length)
      ++length;
    uint64_t mask = ((uint64_t(1) << length) - 1) << bit, image = 0;
    for (unsigned i = 0; i < length; ++i)
      image |= columns[bit + i];
    llvm::Value *part = builder.CreateAnd(index, builder.getInt32(uint32_t(mask)));
    if (isSingle) {
      unsigned to = llvm::Log2_64(columns[bit]);
      part = to >= bit ? builder.CreateShl(part, to - bit, "", true, true) : builder.CreateLShr(part, bit - to);
    } else {
      llvm::Value *isSet = builder.CreateICmpNE(part, builder.getInt32(0));
      part = builder.CreateSelect(isSet, builder.getInt32(uint32_t(columns[bit])), builder.getInt32(0));
    }
    sum = !sum ? part : (used & image) ? builder.CreateXor(sum, part) : builder.CreateOr(sum, part, "", true);
    used |= image;
    bit += length;
  }
  return sum ? sum : builder.getInt32(0);
}

static uint64_t imageOf(llvm::ArrayRef<F2Vector> columns) {
  uint64_t image = 0;
  for (F2Vector column : columns)
    image |= column;
  return image;
}

// Two parts of one index: added where their bits do not meet.
static llvm::Value *join(llvm::IRBuilder<> &builder, llvm::Value *a, uint64_t imageA, llvm::Value *b, uint64_t imageB) {
  return imageA & imageB ? builder.CreateXor(a, b) : builder.CreateAdd(a, b, "", true, true);
}

uint64_t Lowering::registerPoint(const LinearLayout &layout, unsigned reg) {
  return layout::multiply(layout.columns(Dim::Register), reg);
}

llvm::Value *Lowering::threadPoint(const LinearLayout &layout) {
  auto lanes = layout.columns(Dim::Lane), warps = layout.columns(Dim::Warp);
  return join(builder, linearMap(lane, lanes), imageOf(lanes), linearMap(warpIndex, warps), imageOf(warps));
}

uint64_t Lowering::threadImage(const LinearLayout &layout) {
  return imageOf(layout.columns(Dim::Lane)) | imageOf(layout.columns(Dim::Warp));
}

// The vector thread ^ register(r) for all registers.
static llvm::Value *spread(Lowering &lowering, llvm::Value *thread, uint64_t threadImage,
                           llvm::ArrayRef<uint64_t> registers) {
  uint64_t image = 0;
  llvm::SmallVector<llvm::Constant *> constants;
  for (uint64_t index : registers) {
    image |= index;
    constants.push_back(lowering.builder.getInt32(uint32_t(index)));
  }
  llvm::Value *vector = lowering.splat(thread, registers.size());
  return join(lowering.builder, vector, threadImage, llvm::ConstantVector::get(constants), image);
}

llvm::Value *Lowering::points(const LinearLayout &layout) {
  llvm::SmallVector<uint64_t> registers;
  for (unsigned r = 0; r < layout.registers(); ++r)
    registers.push_back(registerPoint(layout, r));
  return spread(*this, threadPoint(layout), threadImage(layout), registers);
}

llvm::Value *Lowering::coordinates(const LinearLayout &layout, unsigned axis) {
  return points(layout.restrictOut({layout::axisDim(axis)}));
}

llvm::Value *Lowering::isOwner(const LinearLayout &layout) {
  unsigned lanes = layout.freeBits(Dim::Lane), warps = layout.freeBits(Dim::Warp);
  unsigned mask = lanes | warps << 5;
  if (isOnlyWarp())
    mask &= 31;
  if (!mask)
    return nullptr;
  return builder.CreateICmpEQ(builder.CreateAnd(thread, builder.getInt32(mask)), builder.getInt32(0));
}

// ---- Exchange. Values of any width go as words of 32 bits.

static llvm::Value *exchange(Lowering &lowering, llvm::Value *value,
                             llvm::function_ref<llvm::Value *(llvm::Value *)> move) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Type *type = value->getType();
  llvm::Value *bits = lowering.toBits(value);
  unsigned width = bits->getType()->getIntegerBitWidth();
  if (width <= 32) {
    llvm::Value *moved = move(builder.CreateZExt(bits, builder.getInt32Ty()));
    return lowering.fromBits(builder.CreateTrunc(moved, bits->getType()), type);
  }
  llvm::Value *low = move(builder.CreateTrunc(bits, builder.getInt32Ty()));
  llvm::Value *high = move(builder.CreateTrunc(builder.CreateLShr(bits, 32), builder.getInt32Ty()));
  llvm::Value *joined = builder.CreateOr(builder.CreateZExt(low, bits->getType()),
                                         builder.CreateShl(builder.CreateZExt(high, bits->getType()), 32));
  return lowering.fromBits(joined, type);
}

llvm::Value *Lowering::shuffleLanes(llvm::Value *value, unsigned mask) {
  return exchange(*this, value, [&](llvm::Value *word) { return instructions.shuffleXor(word, mask); });
}

llvm::Value *Lowering::shuffleFrom(llvm::Value *value, llvm::Value *from) {
  return exchange(*this, value, [&](llvm::Value *word) { return instructions.shuffleFrom(word, from); });
}

llvm::Value *Lowering::shuffleBy(llvm::Value *value, int distance) {
  return exchange(*this, value, [&](llvm::Value *word) { return instructions.shuffleBy(word, distance); });
}

void Lowering::barrier() { buffers.emitBarrier(builder); }

} // namespace nereid::gpu
