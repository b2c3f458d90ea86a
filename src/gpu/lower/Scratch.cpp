// Scratch.cpp: shared memory that an op uses while it runs: whole tiles in row-major order, or single elements.
#include "gpu/lower/Lowering.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;

unsigned Lowering::bytesOf(llvm::Type *element) {
  if (element->isPointerTy())
    return 8;
  return std::max(1u, unsigned(element->getScalarSizeInBits()) / 8);
}

llvm::Value *Lowering::beginScratch(Operation *op, uint64_t bytes, uint64_t bytesPerWarp) {
  return buffers.begin(builder, bytes, 128, bytesPerWarp);
}

llvm::Value *Lowering::sharedElement(llvm::Value *base, llvm::Value *index, llvm::Type *type) {
  llvm::Type *stored = type->isIntegerTy(1) ? builder.getInt8Ty() : type->isPointerTy() ? builder.getInt64Ty() : type;
  return builder.CreateInBoundsGEP(stored, base, index);
}

// Truth values are bytes in memory, pointers 64-bit numbers.
static llvm::Value *asStored(Lowering &lowering, llvm::Value *value) {
  llvm::Type *element = value->getType()->getScalarType();
  if (element->isIntegerTy(1)) {
    llvm::Type *type = lowering.builder.getInt8Ty();
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
      type = llvm::FixedVectorType::get(type, vector->getNumElements());
    return lowering.builder.CreateZExt(value, type);
  }
  return element->isPointerTy() ? lowering.toBits(value) : value;
}

void Lowering::storeShared(llvm::Value *address, llvm::Value *value) {
  llvm::Value *stored = asStored(*this, value);
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(stored->getType());
  builder.CreateAlignedStore(stored, address, llvm::Align(std::min<uint64_t>(bytes, 16)));
}

llvm::Value *Lowering::loadShared(llvm::Value *address, llvm::Type *type) {
  llvm::Type *element = type->getScalarType();
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  auto wide = [&](llvm::Type *of) -> llvm::Type * {
    return vector ? llvm::FixedVectorType::get(of, vector->getNumElements()) : of;
  };
  llvm::Type *stored = element->isIntegerTy(1)  ? wide(builder.getInt8Ty())
                       : element->isPointerTy() ? wide(builder.getInt64Ty())
                                                : type;
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(stored);
  llvm::Value *loaded = builder.CreateAlignedLoad(stored, address, llvm::Align(std::min<uint64_t>(bytes, 16)));
  if (element->isIntegerTy(1))
    return builder.CreateICmpNE(loaded, llvm::Constant::getNullValue(stored));
  return fromBits(loaded, type);
}

// How many registers next to each other are elements next to each other in row-major order, at most 16 bytes.
static unsigned runLength(const LinearLayout &layout, unsigned bytes) {
  unsigned length = 1;
  while (length * 2 * bytes <= 16 && llvm::Log2_32(length) < layout.bits(Dim::Register) &&
         layout.column(Dim::Register, llvm::Log2_32(length)) == length)
    length *= 2;
  // What else moves inside such a run breaks it.
  for (auto [i, column] : llvm::enumerate(layout.columns()))
    while (i >= llvm::Log2_32(length) && (column & (length - 1)))
      length /= 2;
  return length;
}

static llvm::SmallVector<int> range(unsigned first, unsigned count) {
  llvm::SmallVector<int> lanes;
  for (unsigned i = 0; i < count; ++i)
    lanes.push_back(int(first + i));
  return lanes;
}

void Lowering::storeTile(llvm::Value *base, const LinearLayout &layout, llvm::Value *tile) {
  llvm::Type *element = tile->getType()->getScalarType();
  unsigned run = runLength(layout, bytesOf(element));
  llvm::Value *indices = points(layout);
  for (unsigned r = 0; r < layout.registers(); r += run) {
    llvm::Value *part = run == 1 ? extract(tile, r) : shuffle(tile, range(r, run));
    storeShared(sharedElement(base, extract(indices, r), element), part);
  }
}

llvm::Value *Lowering::loadTile(llvm::Value *base, const LinearLayout &layout, llvm::Type *element) {
  unsigned run = runLength(layout, bytesOf(element));
  llvm::Value *indices = points(layout);
  Values elements;
  for (unsigned r = 0; r < layout.registers(); r += run) {
    llvm::Type *type = run == 1 ? element : llvm::FixedVectorType::get(element, run);
    llvm::Value *part = loadShared(sharedElement(base, extract(indices, r), element), type);
    if (run == 1)
      elements.push_back(part);
    else
      elements.append(unpack(part));
  }
  return pack(elements);
}

} // namespace nereid::gpu
