// Space.cpp: points as numbers, numbers as points.
#include "layout/Space.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

namespace nereid::layout {

std::string nameOf(Dim dim) {
  switch (dim) {
  case Dim::Register: return "register";
  case Dim::Lane: return "lane";
  case Dim::Warp: return "warp";
  case Dim::Block: return "block";
  case Dim::Offset: return "offset";
  default: return "dim" + std::to_string(axisOf(dim));
  }
}

Space Space::tile(llvm::ArrayRef<int64_t> shape) {
  assert(shape.size() <= kMaxAxes && "a tile has at most 64 axes");
  Space space;
  for (size_t axis = shape.size(); axis-- > 0;) {
    assert(llvm::isPowerOf2_64(shape[axis]) && "the box of a layout has sizes that are powers of two");
    space.append(axisDim(axis), llvm::Log2_64(shape[axis]));
  }
  return space;
}

Space Space::threads(unsigned registerBits, unsigned laneBits, unsigned warpBits, unsigned blockBits) {
  Space space;
  space.append(Dim::Register, registerBits);
  space.append(Dim::Lane, laneBits);
  space.append(Dim::Warp, warpBits);
  space.append(Dim::Block, blockBits);
  return space;
}

bool Space::has(Dim dim) const {
  for (const Entry &entry : list)
    if (entry.dim == dim)
      return true;
  return false;
}

unsigned Space::bits(Dim dim) const {
  for (const Entry &entry : list)
    if (entry.dim == dim)
      return entry.bits;
  return 0;
}

unsigned Space::shift(Dim dim) const {
  unsigned shift = 0;
  for (const Entry &entry : list) {
    if (entry.dim == dim)
      return shift;
    shift += entry.bits;
  }
  return shift;
}

unsigned Space::totalBits() const {
  unsigned total = 0;
  for (const Entry &entry : list)
    total += entry.bits;
  return total;
}

llvm::SmallVector<int64_t, 4> Space::shape() const {
  llvm::SmallVector<int64_t, 4> shape(list.size(), 1);
  for (const Entry &entry : list) {
    assert(isAxis(entry.dim) && axisOf(entry.dim) < list.size() && "only a tile has a shape");
    shape[axisOf(entry.dim)] = int64_t(1) << entry.bits;
  }
  return shape;
}

llvm::SmallVector<int64_t, 4> Space::coordinates(uint64_t point) const {
  llvm::SmallVector<int64_t, 4> result(list.size(), 0);
  for (const Entry &entry : list) {
    result[axisOf(entry.dim)] = point & ((uint64_t(1) << entry.bits) - 1);
    point >>= entry.bits;
  }
  return result;
}

uint64_t Space::pointAt(llvm::ArrayRef<int64_t> coordinates) const {
  uint64_t result = 0;
  unsigned shift = 0;
  for (const Entry &entry : list) {
    result |= static_cast<uint64_t>(coordinates[axisOf(entry.dim)]) << shift;
    shift += entry.bits;
  }
  return result;
}

} // namespace nereid::layout
