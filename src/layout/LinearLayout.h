// LinearLayout.h: how the elements of a tile are spread over registers, lanes and warps, or over shared memory.
//
// A layout is a linear map over F2, the field of two elements: the place (register r, lane l, warp w) holds the element
// whose index is the XOR of one vector for every bit that is set in r, l and w. Those vectors are the bases, and they
// are all that a layout stores. A 4 x 8 tile over 2 registers, 8 lanes and 2 warps, one row of lanes after the other:
//
//   register bit 0 -> (0,1)    lane bit 0 -> (0,2)    warp bit 0 -> (2,0)
//                              lane bit 1 -> (0,4)
//                              lane bit 2 -> (1,0)
//
// so lane 5 = 0b101 of warp 1 has in register 1 the element (0,1)^(0,2)^(1,0)^(2,0) = (3,3). Text: `4x8: register 1@1,
// lane 2..4@1 1@0, warp 2@0`. Here `2..4@1` are the bases 2 and 4 along axis 1, a basis with several coordinates is
// written `1@0+4@1` (a swizzle), and `0` is a bit that moves nothing: the places that differ in it hold copies.
//
// All of what people draw as different layouts (blocked, tensor-core fragments, slices, swizzled shared memory) are
// such maps, so a conversion between any two is the composition of one with the inverse of the other. LayoutShapes.h
// and MmaLayouts.h build them by name, LayoutMoves.h takes them through shape ops, Conversion.h plans conversions.
//
// Sizes are powers of two here. A tile that is not (176 columns) is a box repeated in registers: see RepeatedLayout.h.
#pragma once

#include "layout/F2.h"
#include "layout/Space.h"

#include "llvm/ADT/Hashing.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::layout {

class LinearLayout {
public:
  LinearLayout() = default;
  // The map that sends everything to 0; set its bases then.
  LinearLayout(Space in, Space out);
  LinearLayout(Space in, Space out, llvm::ArrayRef<F2Vector> columns);

  static LinearLayout identity(const Space &space);
  // `bits` bits of `in` along `out`: index i goes to index i.
  static LinearLayout identity(Dim in, Dim out, unsigned bits);
  // `bits` bits of `in` that all go to 0: copies.
  static LinearLayout copies(Dim in, unsigned bits);

  // --- what it is ---
  const Space &in() const { return inSpace; }
  const Space &out() const { return outSpace; }
  unsigned bits(Dim in) const { return inSpace.bits(in); }
  unsigned size(Dim in) const { return 1u << inSpace.bits(in); }
  unsigned registers() const { return size(Dim::Register); }
  unsigned lanes() const { return size(Dim::Lane); }
  unsigned warps() const { return size(Dim::Warp); }
  unsigned blocks() const { return size(Dim::Block); }
  llvm::SmallVector<int64_t, 4> shape() const { return outSpace.shape(); } // of the tile
  unsigned rank() const { return outSpace.entries().size(); }

  // One vector per input bit, in the order of in().entries(): points of out().
  llvm::ArrayRef<F2Vector> columns() const { return bases; }
  llvm::ArrayRef<F2Vector> columns(Dim in) const;
  F2Vector column(Dim in, unsigned bit) const { return columns(in)[bit]; }
  void setColumn(Dim in, unsigned bit, F2Vector vector);
  // A basis as an index along one output dimension.
  unsigned basis(Dim in, unsigned bit, Dim out) const { return outSpace.index(column(in, bit), out); }

  // --- apply ---
  // A point of in() to a point of out().
  uint64_t apply(uint64_t point) const { return multiply(bases, point); }
  // The coordinates of the element that a place holds, axis 0 first.
  llvm::SmallVector<int64_t, 4> element(unsigned reg, unsigned lane = 0, unsigned warp = 0, unsigned block = 0) const;

  // --- algebra ---
  // First this layout, then `next`. Dimensions meet by name; those of `next` that this one lacks are 0.
  LinearLayout then(const LinearLayout &next) const;
  // Requires isInvertible().
  LinearLayout inverse() const;
  // A map P from out() to in() with this.then(P).then(this) == this. Where several places hold an element, P names the
  // one whose highest free bits are 0; elements that no place holds go to 0.
  LinearLayout pseudoInverse() const;
  // Both side by side: in every dimension that they share, this layout has the low bits and `high` the high ones.
  LinearLayout product(const LinearLayout &high) const;
  // Q with divisor.product(Q) == *this, where there is one.
  std::optional<LinearLayout> quotient(const LinearLayout &divisor) const;
  // The inputs (or outputs) that are named, in their order here; the other inputs are held at 0.
  LinearLayout restrictIn(llvm::ArrayRef<Dim> dims) const;
  LinearLayout restrictOut(llvm::ArrayRef<Dim> dims) const;
  // The same bases with the dimensions of a space listed in another order, or cut differently with the same total.
  LinearLayout reorderIn(const Space &space) const;
  LinearLayout reorderOut(const Space &space) const;
  LinearLayout recutIn(Space space) const;
  LinearLayout recutOut(Space space) const;

  unsigned rankOverF2() const { return rankOf(bases); }
  bool isInjective() const { return rankOverF2() == bases.size(); }
  bool isSurjective() const { return rankOverF2() == outSpace.totalBits(); }
  bool isInvertible() const { return isInjective() && isSurjective(); }

  // The bits of an input dimension that need not vary to reach every element: places that differ in these hold copies
  // of what the places with 0 there hold. A store needs only the places with all free bits 0.
  unsigned freeBits(Dim in) const;
  bool hasCopies() const { return !isInjective(); }
  // Without the registers that hold what lower registers (of the same thread) hold already.
  LinearLayout withoutRegisterCopies() const;

  // How many consecutive registers, from 0 on, hold consecutive elements along `axis`, aligned to that number in every
  // thread: 1, 2, 4, …
  unsigned contiguousRegisters(unsigned axis) const;

  bool operator==(const LinearLayout &other) const = default;

  // --- text ---
  std::string toString() const;
  // The layout that toString() wrote; else nothing, and `problem` says why.
  static std::optional<LinearLayout> parse(std::string_view text, std::string &problem);

private:
  Space inSpace, outSpace;
  F2Vectors bases;
};

llvm::hash_code hash_value(const LinearLayout &layout);

} // namespace nereid::layout
