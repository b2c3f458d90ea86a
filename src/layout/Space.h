// Space.h: the named coordinates that a layout maps from and to.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <initializer_list>
#include <string>

namespace nereid::layout {

// Where an element lives (which register of which lane of which warp of which block of the cluster, or which offset in
// shared memory), or which element of a tile it is (its index along each axis).
enum class Dim : uint8_t {
  Register,
  Lane,
  Warp,
  Block,
  Offset,
  Axis0,
  Axis1,
  Axis2,
  Axis3 // and so on
};

// A tile has at most 2^20 elements, but any number of axes of size 1: so many are taken.
constexpr unsigned kMaxAxes = 64;

inline Dim axisDim(unsigned axis) { return static_cast<Dim>(static_cast<unsigned>(Dim::Axis0) + axis); }
inline bool isAxis(Dim dim) { return dim >= Dim::Axis0; }
inline unsigned axisOf(Dim dim) { return static_cast<unsigned>(dim) - static_cast<unsigned>(Dim::Axis0); }
std::string nameOf(Dim dim); // register, lane, warp, block, offset, dim0, dim1, …

// A list of dimensions, each with a power of two of indices. A point is written as one number: the first dimension has
// its lowest bits. For a tile the last axis comes first, so that this number is the row-major index of the element.
class Space {
public:
  struct Entry {
    Dim dim;
    uint8_t bits;
    bool operator==(const Entry &) const = default;
  };

  Space() = default;
  Space(std::initializer_list<Entry> entries) : list(entries) {}

  // The axes of a tile; every size must be a power of two.
  static Space tile(llvm::ArrayRef<int64_t> shape);
  // register, lane, warp and block: where the elements of a distributed tile live.
  static Space threads(unsigned registerBits, unsigned laneBits, unsigned warpBits, unsigned blockBits = 0);
  static Space offset(unsigned bits) { return Space{{Dim::Offset, static_cast<uint8_t>(bits)}}; }

  llvm::ArrayRef<Entry> entries() const { return list; }
  bool has(Dim dim) const;
  unsigned bits(Dim dim) const;  // 0 where there is no such dimension
  unsigned shift(Dim dim) const; // the place of its lowest bit in a point
  uint64_t mask(Dim dim) const { return ((uint64_t(1) << bits(dim)) - 1) << shift(dim); }
  unsigned totalBits() const;
  uint64_t size() const { return uint64_t(1) << totalBits(); }

  uint64_t index(uint64_t point, Dim dim) const { return (point & mask(dim)) >> shift(dim); }
  uint64_t point(Dim dim, uint64_t index) const { return index << shift(dim); }

  // The shape of a tile; only where all dimensions are axes.
  llvm::SmallVector<int64_t, 4> shape() const;
  // The index of a point along each axis, axis 0 first; and back.
  llvm::SmallVector<int64_t, 4> coordinates(uint64_t point) const;
  uint64_t pointAt(llvm::ArrayRef<int64_t> coordinates) const;

  void append(Dim dim, unsigned bits) { list.push_back({dim, static_cast<uint8_t>(bits)}); }
  bool operator==(const Space &other) const { return list == other.list; }

private:
  llvm::SmallVector<Entry, 4> list;
};

} // namespace nereid::layout
