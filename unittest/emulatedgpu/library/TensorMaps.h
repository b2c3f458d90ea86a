// TensorMaps.h: what TMA copies between a tensor in global memory and a box in shared memory.
#pragma once

#include "Block.h"

namespace nereid::emulated {

// A tensor as a kernel's parameter describes it, axes from the fastest one.
struct TensorMap {
  uint64_t base = 0;
  std::vector<uint64_t> extents, strideBytes;
  std::vector<uint32_t> box;
  uint32_t elementBytes = 1, swizzle = 0;
  ptx::Type type;
  bool fillsNan = false;
};

class Box {
public:
  Box(const TensorMap &map, std::vector<int64_t> place, uint64_t shared, Block &block)
      : map(map), place(std::move(place)), shared(shared), block(block) {}
  void load() const;
  void store(bool adds) const;
  uint64_t bytes() const;

private:
  template <class F> void visit(F element) const;
  TensorMap map;
  std::vector<int64_t> place;
  uint64_t shared;
  Block &block;
};

// Of an instruction: which of its addresses are the map's and that of shared memory.
Box boxOf(Warp &warp, const Act &act, uint32_t lane, size_t mapAt, size_t sharedAt);

// The map that an address of a parameter holds; the emulated driver wrote it.
TensorMap tensorMapAt(const uint8_t *bytes);

} // namespace nereid::emulated
