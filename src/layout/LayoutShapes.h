// LayoutShapes.h: layouts by name that do not depend on an instruction: blocked, and the ways a layout follows a shape.
#pragma once

#include "layout/LinearLayout.h"

namespace nereid::layout {

// Each thread owns a box of `sizePerThread` elements, a warp a box of `threadsPerWarp` such boxes, a block a box of
// `warpsPerBlock` of those. `order` lists the axes, the fastest first: which axis registers, lanes and warps run along
// first. A tile that is larger is covered by more registers; a smaller one is held several times.
struct Blocked {
  llvm::SmallVector<int64_t, 4> sizePerThread;
  llvm::SmallVector<int64_t, 4> threadsPerWarp;
  llvm::SmallVector<int64_t, 4> warpsPerBlock;
  llvm::SmallVector<unsigned, 4> order;

  // Boxes of one.
  static Blocked ones(llvm::ArrayRef<unsigned> order) {
    llvm::SmallVector<int64_t, 4> one(order.size(), 1);
    return {one, one, one, llvm::SmallVector<unsigned, 4>(order)};
  }
};

LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape, const Blocked &blocked);

// A blocked layout for a tile of `shape`: lanes and warps fill the axes in `order`, each thread has up to
// `contiguous` elements along the first of them.
LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape, unsigned contiguous, unsigned warps,
                           llvm::ArrayRef<unsigned> order);

// The axes with the last one first: the order of a row-major tile.
llvm::SmallVector<unsigned, 4> rowMajorOrder(unsigned rank);

// A layout for one block becomes one for a cluster of `blocks`, all of which hold the whole tile.
LinearLayout withBlocks(const LinearLayout &layout, unsigned blockBits);

// Makes `layout`, whose tile is a power of two smaller or larger along each axis, cover exactly `shape`: more registers
// where it is too small (along the axes of `order`, the fastest first), copies where it is too large. Registers that
// would be copies are dropped.
LinearLayout fitToShape(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order);

} // namespace nereid::layout
