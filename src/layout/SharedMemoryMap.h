// SharedMemoryMap.h: the search for an order of a tile in shared memory that suits a writer and a reader.
#pragma once

#include "layout/Conversion.h"

namespace nereid::layout {

// What one side of a conversion does with the memory.
struct SharedSide {
  F2Vectors registers, lanes, warps; // the elements that their bits move to
  SharedAccess::Kind kind = SharedAccess::Kind::Vector;
  unsigned width = 0; // Vector: how many of the low bits of the offset one access covers

  SharedSide() = default;
  explicit SharedSide(const LinearLayout &layout);
};

// What of the tile is not in the memory of one exchange.
struct SharedPartition {
  F2Vectors regions;      // warps that exchange nothing with each other: the highest bits of the offset
  F2Vectors blocks;       // of the cluster: each has its own memory
  unsigned roundBits = 0; // how often the memory should be halved by going in rounds
};

// A basis of the tile: one vector per bit of the offset, then per bit of the round, then per bit of the block.
class SharedMemoryMap {
public:
  // Orders the tile of `elementBits` bits so that an aligned piece of memory holds the span of `low`, the sides can
  // access it as they say, and neither has bank conflicts, as far as that is possible. The width of a side may shrink:
  // its lanes must not shift elements inside of a piece. Nothing where a side with matrices cannot have its pieces.
  static std::optional<SharedMemoryMap> make(llvm::ArrayRef<F2Vector> low, SharedSide &writer, SharedSide &reader,
                                             const SharedPartition &partition, unsigned elementBits, unsigned byteBits);

  // An order that is given: `memory` takes offsets to elements, one to one.
  SharedMemoryMap(const LinearLayout &memory, unsigned byteBits);

  unsigned offsetOf(F2Vector element) const { return coordinates(element) & ((1u << offsetBits) - 1); }
  unsigned roundOf(F2Vector element) const { return coordinates(element) >> offsetBits & ((1u << roundBits) - 1); }
  // How often the busiest bank is asked in one phase of an access.
  unsigned waysOf(const SharedSide &side) const;

  llvm::ArrayRef<F2Vector> offsetBasis() const { return llvm::ArrayRef(basis).take_front(offsetBits); }
  unsigned lowBits() const { return lowCount; }
  unsigned rounds() const { return 1u << roundBits; }

  unsigned elementByteBits() const { return byteBits; }

private:
  SharedMemoryMap() = default;
  F2Vector coordinates(F2Vector element) const { return *span.solve(element); }

  F2Vectors basis;
  F2Span span;
  unsigned lowCount = 0, offsetBits = 0, roundBits = 0, byteBits = 0;
};

// Bits of the offset inside of 32 bits: accesses that are narrower than a word of a bank share it.
unsigned wordBits(unsigned byteBits);

// The elements that the lanes of one phase of an access tell apart: of a quarter warp for 16 bytes, a half for 8, else
// of all lanes; the rows of one matrix for ldmatrix.
F2Vectors phaseOf(const SharedSide &side, unsigned byteBits);

// The accesses of a side, round after round; idleThreads is left to the caller.
SharedAccess accessesOf(const SharedMemoryMap &map, const SharedSide &side);

// What they cost: cycles of the memory for one warp, and an issue slot for every instruction.
unsigned accessCost(const SharedMemoryMap &map, const SharedSide &side);

// The threads that hold copies and need not write.
unsigned idleThreads(SharedAccess::Kind kind, const LinearLayout &layout);

} // namespace nereid::layout
