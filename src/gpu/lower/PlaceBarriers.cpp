// PlaceBarriers.cpp: barriers where shared memory changes hands. Inside of one op its own barriers separate writes from
// reads; here it is decided whether the threads have to meet before a buffer begins: only if, on some way there, an
// access since the last barrier was to the same place. Decided in the order of the program: a barrier also serves those
// behind it.
#include "gpu/lower/SharedEvents.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace nereid::gpu {

namespace {

class Barriers {
public:
  Barriers(const SharedEvents &events, llvm::ArrayRef<SharedBuffer> buffers, const SharedPlaces &places)
      : events(events), buffers(buffers), places(places) {}

  // The markers that become barriers: the first that is needed, then again.
  llvm::SmallPtrSet<llvm::Instruction *, 8> find() {
    while (llvm::Instruction *marker = firstNeeded())
      needed.insert(marker);
    return needed;
  }

private:
  llvm::Instruction *firstNeeded() {
    std::vector<llvm::BitVector> ends(events.blocks.size(), llvm::BitVector(buffers.size()));
    auto atStart = [&](unsigned block) {
      llvm::BitVector pending(buffers.size());
      for (unsigned predecessor : events.blocks[block].predecessors)
        pending |= ends[predecessor];
      return pending;
    };
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (unsigned i = 0; i < events.blocks.size(); ++i) {
        llvm::BitVector pending = atStart(i);
        for (const SharedEvent &event : events.blocks[i].events)
          pass(event, pending);
        hasChanged |= pending != ends[i];
        ends[i] = std::move(pending);
      }
    }
    for (unsigned i = 0; i < events.blocks.size(); ++i) {
      llvm::BitVector pending = atStart(i);
      for (const SharedEvent &event : events.blocks[i].events) {
        if (event.kind == SharedEvent::Kind::Begin && !needed.contains(event.instruction) &&
            isTaken(event.buffer, pending))
          return event.instruction;
        pass(event, pending);
      }
    }
    return nullptr;
  }

  void pass(const SharedEvent &event, llvm::BitVector &pending) const {
    // Up to its marked end a buffer is accessed where we cannot see it (by tensor cores, by copies).
    if (event.kind == SharedEvent::Kind::Access || event.kind == SharedEvent::Kind::End)
      pending.set(event.buffer);
    if (event.kind == SharedEvent::Kind::Barrier || needed.contains(event.instruction))
      pending.reset();
  }

  bool isTaken(unsigned buffer, const llvm::BitVector &pending) const {
    return llvm::any_of(pending.set_bits(), [&](unsigned other) { return conflict(buffer, other); });
  }

  bool conflict(unsigned buffer, unsigned other) const {
    uint64_t start = places.offsets[buffer], otherStart = places.offsets[other];
    if (start >= otherStart + buffers[other].bytes || otherStart >= start + buffers[buffer].bytes)
      return false;
    // Parts of warps lie alike: each warp meets only itself.
    bool areParts = buffers[buffer].bytesPerWarp && buffers[buffer].bytesPerWarp == buffers[other].bytesPerWarp;
    return !(areParts && start == otherStart);
  }

  const SharedEvents &events;
  llvm::ArrayRef<SharedBuffer> buffers;
  const SharedPlaces &places;
  llvm::SmallPtrSet<llvm::Instruction *, 8> needed;
};

} // namespace

void placeBarriers(const SharedEvents &events, llvm::ArrayRef<SharedBuffer> buffers, const SharedPlaces &places,
                   const SharedBuffers &emitter) {
  auto needed = Barriers(events, buffers, places).find();
  for (llvm::CallInst *marker : events.markers)
    if (needed.contains(marker)) {
      llvm::IRBuilder<> builder(marker);
      emitter.emitBarrier(builder);
    }
}

} // namespace nereid::gpu
