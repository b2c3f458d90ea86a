// PlaceShared.cpp: one offset for each buffer of shared memory. Buffers interfere where one begins while the other
// lives. Those that do not may share a place, but each shared place costs a barrier, so they share only to keep the
// memory small.
#include "gpu/lower/SharedEvents.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace nereid::gpu {

namespace {

// Memory that may be used to save barriers: not enough to keep a block from a multiprocessor.
constexpr uint64_t kSpareBytes = 8 * 1024;

// The buffers that live at the end of each block.
std::vector<llvm::BitVector> liveAtEnd(const SharedEvents &events, unsigned buffers) {
  std::vector<llvm::BitVector> ends(events.blocks.size(), llvm::BitVector(buffers));
  std::vector<llvm::BitVector> starts = ends;
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (unsigned i = events.blocks.size(); i-- > 0;) {
      for (unsigned successor : events.blocks[i].successors)
        ends[i] |= starts[successor];
      llvm::BitVector live = ends[i];
      for (const SharedEvent &event : llvm::reverse(events.blocks[i].events))
        if (event.kind == SharedEvent::Kind::Begin)
          live.reset(event.buffer);
        else if (event.kind != SharedEvent::Kind::Barrier)
          live.set(event.buffer);
      hasChanged |= live != starts[i];
      starts[i] = std::move(live);
    }
  }
  return ends;
}

std::vector<llvm::BitVector> interferences(const SharedEvents &events, unsigned buffers) {
  std::vector<llvm::BitVector> matrix(buffers, llvm::BitVector(buffers));
  auto add = [&](unsigned a, unsigned b) {
    if (a != b) {
      matrix[a].set(b);
      matrix[b].set(a);
    }
  };
  std::vector<llvm::BitVector> ends = liveAtEnd(events, buffers);
  for (unsigned i = 0; i < events.blocks.size(); ++i) {
    llvm::BitVector live = ends[i];
    for (const SharedEvent &event : llvm::reverse(events.blocks[i].events)) {
      if (event.kind == SharedEvent::Kind::Barrier)
        continue;
      for (unsigned other : live.set_bits())
        add(event.buffer, other);
      event.kind == SharedEvent::Kind::Begin ? live.reset(event.buffer) : live.set(event.buffer);
    }
  }
  // A buffer whose uses are not all seen, and whose end is not marked, lives everywhere.
  for (unsigned buffer = 0; buffer < buffers; ++buffer)
    if (events.escapes[buffer] && !events.hasEnd[buffer])
      for (unsigned other = 0; other < buffers; ++other)
        add(buffer, other);
  return matrix;
}

class Placer {
public:
  Placer(llvm::ArrayRef<SharedBuffer> buffers, const std::vector<llvm::BitVector> &interferes)
      : buffers(buffers), interferes(interferes), offsets(buffers.size(), 0) {}

  SharedPlaces place() {
    // First as small as it gets, largest buffers first; that is the memory which the kernel needs.
    llvm::SmallVector<unsigned> order;
    for (unsigned i = 0; i < buffers.size(); ++i)
      order.push_back(i);
    llvm::stable_sort(order, [&](unsigned a, unsigned b) { return buffers[a].bytes > buffers[b].bytes; });
    uint64_t needed = 0;
    for (unsigned buffer : order) {
      offsets[buffer] = lowestOffset(buffer, [&](unsigned other) { return interferes[buffer].test(other); });
      placed.push_back(buffer);
      needed = std::max(needed, endOf(buffer));
    }
    spread(needed);
    uint64_t bytes = 0;
    for (unsigned buffer : order)
      bytes = std::max(bytes, endOf(buffer));
    return {offsets, bytes};
  }

private:
  uint64_t endOf(unsigned buffer) const { return offsets[buffer] + buffers[buffer].bytes; }

  template <class Avoids> uint64_t lowestOffset(unsigned buffer, Avoids avoids) const {
    llvm::SmallVector<std::pair<uint64_t, uint64_t>> taken;
    for (unsigned other : placed)
      if (other != buffer && avoids(other))
        taken.push_back({offsets[other], endOf(other)});
    llvm::sort(taken);
    uint64_t offset = 0;
    for (auto [start, end] : taken)
      if (start < offset + buffers[buffer].bytes && end > offset)
        offset = llvm::alignTo(end, buffers[buffer].alignment);
    return offset;
  }

  // Then, in the order of the program, away from everything else where a little more memory allows it.
  void spread(uint64_t needed) {
    for (unsigned buffer = 0; buffer < buffers.size(); ++buffer) {
      uint64_t apart = lowestOffset(buffer, [&](unsigned) { return true; });
      if (apart + buffers[buffer].bytes <= std::max(needed, kSpareBytes))
        offsets[buffer] = apart;
    }
  }

  llvm::ArrayRef<SharedBuffer> buffers;
  const std::vector<llvm::BitVector> &interferes;
  llvm::SmallVector<uint64_t> offsets;
  llvm::SmallVector<unsigned> placed;
};

} // namespace

SharedPlaces placeBuffers(const SharedEvents &events, llvm::ArrayRef<SharedBuffer> buffers) {
  std::vector<llvm::BitVector> interferes = interferences(events, buffers.size());
  return Placer(buffers, interferes).place();
}

} // namespace nereid::gpu
