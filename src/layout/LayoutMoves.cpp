// LayoutMoves.cpp: renaming, cutting and spreading the axes of a layout.
#include "layout/LayoutMoves.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

namespace nereid::layout {

llvm::SmallVector<unsigned, 4> invertPermutation(llvm::ArrayRef<unsigned> permutation) {
  llvm::SmallVector<unsigned, 4> inverse(permutation.size());
  for (unsigned i = 0; i < permutation.size(); ++i)
    inverse[permutation[i]] = i;
  return inverse;
}

LinearLayout transposeLayout(const LinearLayout &layout, llvm::ArrayRef<unsigned> permutation) {
  llvm::SmallVector<int64_t, 4> from = layout.shape(), to;
  for (unsigned axis : permutation)
    to.push_back(from[axis]);
  Space out = Space::tile(to);
  LinearLayout result(layout.in(), out);
  for (const Space::Entry &entry : layout.in().entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      F2Vector image = 0;
      for (unsigned axis = 0; axis < permutation.size(); ++axis)
        image |= out.point(axisDim(axis), layout.basis(entry.dim, bit, axisDim(permutation[axis])));
      result.setColumn(entry.dim, bit, image);
    }
  return result;
}

LinearLayout reshapeLayout(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape) {
  return layout.recutOut(Space::tile(shape));
}

LinearLayout expandDimsLayout(const LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<int64_t, 4> shape = layout.shape();
  shape.insert(shape.begin() + axis, 1);
  return reshapeLayout(layout, shape);
}

LinearLayout dropAxisLayout(const LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<int64_t, 4> shape = layout.shape();
  assert(shape[axis] == 1 && "only an axis of size 1 can go");
  shape.erase(shape.begin() + axis);
  return reshapeLayout(layout, shape);
}

LinearLayout shrinkAxisLayout(const LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<int64_t, 4> shape = layout.shape();
  shape[axis] = 1;
  Space out = Space::tile(shape);
  LinearLayout result(layout.in(), out);
  for (const Space::Entry &entry : layout.in().entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      F2Vector image = 0;
      for (unsigned other = 0; other < shape.size(); ++other)
        if (other != axis)
          image |= out.point(axisDim(other), layout.basis(entry.dim, bit, axisDim(other)));
      result.setColumn(entry.dim, bit, image);
    }
  return result.withoutRegisterCopies();
}

LinearLayout sliceLayout(const LinearLayout &layout, unsigned axis) {
  return dropAxisLayout(shrinkAxisLayout(layout, axis), axis);
}

LinearLayout broadcastLayout(const LinearLayout &layout, unsigned axis, int64_t size) {
  llvm::SmallVector<int64_t, 4> shape = layout.shape();
  assert(shape[axis] == 1 && "only an axis of size 1 can be broadcast");
  shape[axis] = size;
  Dim dim = axisDim(axis);
  unsigned wanted = llvm::Log2_64(size), placed = 0;
  LinearLayout result(layout.in(), Space::tile(shape));
  for (const Space::Entry &entry : layout.in().entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      F2Vector image = 0;
      for (const Space::Entry &out : layout.out().entries())
        image |= result.out().point(out.dim, layout.basis(entry.dim, bit, out.dim));
      // Only a bit that moves nothing can move along the new axis; one that repeats a sum of others cannot.
      bool isThread = entry.dim == Dim::Lane || entry.dim == Dim::Warp;
      if (!image && isThread && placed < wanted)
        image = result.out().point(dim, uint64_t(1) << placed++);
      result.setColumn(entry.dim, bit, image);
    }
  if (placed == wanted)
    return result;
  // New registers come last: what a thread had stays where it was.
  Space in;
  F2Vectors columns;
  for (const Space::Entry &entry : result.in().entries()) {
    bool isRegister = entry.dim == Dim::Register;
    in.append(entry.dim, entry.bits + (isRegister ? wanted - placed : 0));
    columns.append(result.columns(entry.dim).begin(), result.columns(entry.dim).end());
    for (unsigned bit = placed; isRegister && bit < wanted; ++bit)
      columns.push_back(result.out().point(dim, uint64_t(1) << bit));
  }
  return LinearLayout(in, result.out(), columns);
}

LinearLayout joinLayout(const LinearLayout &layout) {
  LinearLayout wider = expandDimsLayout(layout, layout.rank());
  return LinearLayout::identity(Dim::Register, axisDim(layout.rank()), 1)
      .product(wider)
      .reorderIn(Space::threads(layout.bits(Dim::Register) + 1, layout.bits(Dim::Lane), layout.bits(Dim::Warp),
                                layout.bits(Dim::Block)));
}

std::optional<unsigned> splitRegisterBit(const LinearLayout &layout) {
  Dim last = axisDim(layout.rank() - 1);
  std::optional<unsigned> found;
  for (const Space::Entry &entry : layout.in().entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      if (!layout.basis(entry.dim, bit, last))
        continue;
      bool isAlone = layout.column(entry.dim, bit) == layout.out().point(last, 1);
      if (found || entry.dim != Dim::Register || !isAlone)
        return std::nullopt;
      found = bit;
    }
  return found;
}

std::optional<LinearLayout> splitLayout(const LinearLayout &layout) {
  assert(layout.out().bits(axisDim(layout.rank() - 1)) == 1 && "split takes apart an axis of size 2");
  if (!splitRegisterBit(layout))
    return std::nullopt;
  return sliceLayout(layout, layout.rank() - 1);
}

LinearLayout concatenateLayout(const LinearLayout &layout, unsigned axis) {
  LinearLayout twice = LinearLayout::identity(Dim::Register, axisDim(axis), 1);
  return layout.product(twice);
}

LinearLayout beforeConcatenation(const LinearLayout &layout, unsigned axis) {
  auto shape = layout.shape();
  shape[axis] /= 2;
  unsigned bits = layout.bits(Dim::Register) - 1;
  LinearLayout result(Space::threads(bits, layout.bits(Dim::Lane), layout.bits(Dim::Warp)), Space::tile(shape));
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < result.bits(dim); ++bit)
      result.setColumn(dim, bit, result.out().pointAt(layout.out().coordinates(layout.column(dim, bit))));
  return result;
}

} // namespace nereid::layout
