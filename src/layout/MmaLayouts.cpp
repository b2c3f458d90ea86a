// MmaLayouts.cpp: one box of an instruction, times warps, times registers.
#include "layout/MmaLayouts.h"

#include "layout/LayoutShapes.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

namespace nereid::layout {

namespace {

// `count` places of `dim` along `axis`.
LinearLayout along(Dim dim, unsigned axis, int64_t count) {
  return LinearLayout::identity(dim, axisDim(axis), llvm::Log2_64(count));
}

// The empty box that products start from: all dimensions are there, and in their order.
LinearLayout emptyBox(unsigned rank) {
  return LinearLayout(Space::threads(0, 0, 0), Space::tile(llvm::SmallVector<int64_t, 4>(rank, 1)));
}

// Warps over an accumulator: M first, then N, then batch axes from the last to the first. An operand has no place for
// one of the two; `missing` is that axis of the accumulator (or the rank for none).
LinearLayout withWarps(LinearLayout box, llvm::ArrayRef<int64_t> warpsPerBlock, unsigned missing) {
  unsigned rank = warpsPerBlock.size();
  llvm::SmallVector<unsigned, 4> order{rank - 2, rank - 1};
  for (unsigned axis = rank - 2; axis-- > 0;)
    order.push_back(axis);
  for (unsigned axis : order)
    box = box.product(axis == missing ? LinearLayout::copies(Dim::Warp, llvm::Log2_64(warpsPerBlock[axis]))
                                      : along(Dim::Warp, axis, warpsPerBlock[axis]));
  return box;
}

// The axis of K first where there is one, then the last axis, the one before it, and so on.
llvm::SmallVector<unsigned, 4> repeatOrder(unsigned rank, unsigned first) {
  llvm::SmallVector<unsigned, 4> order{first};
  for (unsigned axis : rowMajorOrder(rank))
    if (axis != first)
      order.push_back(axis);
  return order;
}

// The operand of any m16 instruction: lanes 0 and 1 run along K, lanes 2 to 4 along the other axis; 8 more rows (A
// only) and the second half of K are in further registers.
LinearLayout operandBox(unsigned rank, DotOperand operand, unsigned contiguousK) {
  bool isA = operand == DotOperand::A;
  unsigned k = isA ? rank - 1 : rank - 2, other = isA ? rank - 2 : rank - 1;
  LinearLayout box = emptyBox(rank)
                         .product(along(Dim::Register, k, contiguousK))
                         .product(along(Dim::Lane, k, 4))
                         .product(along(Dim::Lane, other, 8));
  if (isA)
    box = box.product(along(Dim::Register, other, 2));
  return box.product(along(Dim::Register, k, 2));
}

// 8 rows of 4 lanes with 2 elements each.
LinearLayout accumulatorQuarter(unsigned rank) {
  unsigned m = rank - 2, n = rank - 1;
  return emptyBox(rank)
      .product(along(Dim::Register, n, 2))
      .product(along(Dim::Lane, n, 4))
      .product(along(Dim::Lane, m, 8));
}

} // namespace

LinearLayout mmaAccumulatorLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock) {
  unsigned rank = shape.size();
  LinearLayout box = accumulatorQuarter(rank).product(along(Dim::Register, rank - 2, 2));
  return fitToShape(withWarps(box, warpsPerBlock, rank), shape, rowMajorOrder(rank));
}

LinearLayout mmaOperandLayout(llvm::ArrayRef<int64_t> shape, DotOperand operand, llvm::ArrayRef<int64_t> warpsPerBlock,
                              unsigned contiguousK) {
  unsigned rank = shape.size(), k = operand == DotOperand::A ? rank - 1 : rank - 2;
  LinearLayout box = withWarps(operandBox(rank, operand, contiguousK), warpsPerBlock, k);
  return fitToShape(box, shape, repeatOrder(rank, k));
}

LinearLayout mmaDoubleAccumulatorLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock) {
  unsigned rank = shape.size();
  return fitToShape(withWarps(accumulatorQuarter(rank), warpsPerBlock, rank), shape, rowMajorOrder(rank));
}

LinearLayout mmaDoubleOperandLayout(llvm::ArrayRef<int64_t> shape, DotOperand operand,
                                    llvm::ArrayRef<int64_t> warpsPerBlock) {
  unsigned rank = shape.size();
  unsigned k = operand == DotOperand::A ? rank - 1 : rank - 2, other = operand == DotOperand::A ? rank - 2 : rank - 1;
  LinearLayout box = emptyBox(rank).product(along(Dim::Lane, k, 4)).product(along(Dim::Lane, other, 8));
  return fitToShape(withWarps(box, warpsPerBlock, k), shape, repeatOrder(rank, k));
}

LinearLayout wgmmaAccumulatorLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock,
                                    unsigned instructionN) {
  unsigned rank = shape.size();
  assert(warpsPerBlock[rank - 2] % 4 == 0 && "a wgmma takes four warps along M");
  // Registers run along the columns of one instruction before anything else is repeated.
  LinearLayout box = accumulatorQuarter(rank)
                         .product(along(Dim::Register, rank - 2, 2))
                         .product(along(Dim::Register, rank - 1, instructionN / 8));
  return fitToShape(withWarps(box, warpsPerBlock, rank), shape, rowMajorOrder(rank));
}

LinearLayout wgmmaOperandALayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock,
                                 unsigned contiguousK) {
  return mmaOperandLayout(shape, DotOperand::A, warpsPerBlock, contiguousK);
}

LinearLayout wgmmaPlacesLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock, unsigned bits) {
  LinearLayout box = emptyBox(2)
                         .product(along(Dim::Register, 1, 16 / bits))
                         .product(along(Dim::Lane, 1, 4))
                         .product(along(Dim::Lane, 0, 8))
                         .product(along(Dim::Register, 0, 2));
  return fitToShape(withWarps(box, warpsPerBlock, 1), shape, repeatOrder(2, 1));
}

} // namespace nereid::layout
