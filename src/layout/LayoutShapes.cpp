// LayoutShapes.cpp: blocked layouts as products of identities.
#include "layout/LayoutShapes.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

namespace nereid::layout {

llvm::SmallVector<unsigned, 4> rowMajorOrder(unsigned rank) {
  llvm::SmallVector<unsigned, 4> order;
  for (unsigned axis = rank; axis-- > 0;)
    order.push_back(axis);
  return order;
}

// `dim` along a box of `sizes`, the axes of `order` one after the other.
static LinearLayout alongAxes(Dim dim, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<unsigned> order) {
  LinearLayout result(Space{{dim, 0}}, Space::tile(llvm::SmallVector<int64_t, 4>(sizes.size(), 1)));
  for (unsigned axis : order)
    result = result.product(LinearLayout::identity(dim, axisDim(axis), llvm::Log2_64(sizes[axis])));
  return result;
}

LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape, const Blocked &blocked) {
  assert(blocked.order.size() == shape.size() && "an order names every axis once");
  LinearLayout result = alongAxes(Dim::Register, blocked.sizePerThread, blocked.order)
                            .product(alongAxes(Dim::Lane, blocked.threadsPerWarp, blocked.order))
                            .product(alongAxes(Dim::Warp, blocked.warpsPerBlock, blocked.order))
                            .product(LinearLayout::copies(Dim::Block, 0));
  return fitToShape(result, shape, blocked.order);
}

LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape, unsigned contiguous, unsigned warps,
                           llvm::ArrayRef<unsigned> order) {
  Blocked blocked = Blocked::ones(order);
  int64_t lanesLeft = 32, warpsLeft = warps;
  // No thread may hold more than its share, or whole lanes would hold copies.
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  contiguous = std::min<int64_t>(contiguous, std::max<int64_t>(1, elements / (lanesLeft * warpsLeft)));
  for (unsigned axis : order) {
    int64_t left = shape[axis];
    if (axis == order.front()) {
      blocked.sizePerThread[axis] = std::min<int64_t>(contiguous, left);
      left /= blocked.sizePerThread[axis];
    }
    blocked.threadsPerWarp[axis] = std::min(lanesLeft, left);
    lanesLeft /= blocked.threadsPerWarp[axis];
    left /= blocked.threadsPerWarp[axis];
    blocked.warpsPerBlock[axis] = std::min(warpsLeft, left);
    warpsLeft /= blocked.warpsPerBlock[axis];
  }
  // What the tile cannot use holds copies.
  if (!order.empty()) {
    blocked.threadsPerWarp[order.back()] *= lanesLeft;
    blocked.warpsPerBlock[order.back()] *= warpsLeft;
    return blockedLayout(shape, blocked);
  }
  return LinearLayout(Space::threads(0, 5, llvm::Log2_32(warps)), Space());
}

LinearLayout withBlocks(const LinearLayout &layout, unsigned blockBits) {
  return layout.product(LinearLayout::copies(Dim::Block, blockBits));
}

LinearLayout fitToShape(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order) {
  LinearLayout grown = layout;
  for (unsigned axis : order) {
    unsigned have = layout.out().bits(axisDim(axis)), want = llvm::Log2_64(shape[axis]);
    if (want > have)
      grown = grown.product(LinearLayout::identity(Dim::Register, axisDim(axis), want - have));
  }
  // Indices past the end wrap around: their bits are dropped, and the places that differ in them hold copies.
  Space tile = Space::tile(shape);
  LinearLayout result(grown.in(), tile);
  for (const Space::Entry &entry : grown.in().entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      F2Vector image = 0;
      for (const Space::Entry &axis : tile.entries())
        image |= tile.point(axis.dim, grown.basis(entry.dim, bit, axis.dim) & ((uint64_t(1) << axis.bits) - 1));
      result.setColumn(entry.dim, bit, image);
    }
  return result.withoutRegisterCopies();
}

} // namespace nereid::layout
