// SharedLayouts.cpp: plain and swizzled tiles in shared memory.
#include "layout/SharedLayouts.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace nereid::layout {

LinearLayout sharedLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order) {
  LinearLayout result(Space::offset(0), Space::tile(llvm::SmallVector<int64_t, 4>(shape.size(), 1)));
  for (unsigned axis : order)
    result = result.product(LinearLayout::identity(Dim::Offset, axisDim(axis), llvm::Log2_64(shape[axis])));
  return result;
}

LinearLayout swizzledSharedLayout(llvm::ArrayRef<int64_t> shape, unsigned elementBytes, unsigned swizzleBytes,
                                  llvm::ArrayRef<unsigned> order) {
  assert(swizzleBytes >= 16 && swizzleBytes <= 128 && llvm::isPowerOf2_32(swizzleBytes));
  unsigned fastest = order.front();
  int64_t width = std::max<int64_t>(1, swizzleBytes / elementBytes);
  assert(shape[fastest] >= width && "the tile fills the rows of its swizzle");
  llvm::SmallVector<int64_t, 4> boxShape(shape);
  boxShape[fastest] = width;
  LinearLayout box = sharedLayout(boxShape, order);
  // Offset bits that stand for the bits 7 and up of the address also flip the chunk: bit 7 the lowest chunk bit, and so
  // on.
  unsigned elementBits = llvm::Log2_32(elementBytes), chunkBits = llvm::Log2_32(swizzleBytes / 16);
  for (unsigned i = 0; i < chunkBits; ++i) {
    unsigned row = 7 + i - elementBits, chunk = 4 + i - elementBits;
    if (row < box.bits(Dim::Offset))
      box.setColumn(Dim::Offset, row, box.column(Dim::Offset, row) ^ box.column(Dim::Offset, chunk));
  }
  return box.product(LinearLayout::identity(Dim::Offset, axisDim(fastest), llvm::Log2_64(shape[fastest] / width)));
}

unsigned widestSwizzle(llvm::ArrayRef<int64_t> shape, unsigned elementBytes, llvm::ArrayRef<unsigned> order) {
  int64_t rowBytes = shape[order.front()] * elementBytes;
  return std::clamp<int64_t>(rowBytes, 16, 128);
}

} // namespace nereid::layout
