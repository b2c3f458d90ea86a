// SharedEvents.h: what a function does with shared memory, as lists of events: the input of placement and of barriers.
#pragma once

#include "gpu/lower/SharedBuffers.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace nereid::gpu {

constexpr llvm::StringLiteral kBufferBegins = "nereid.buffer.begins", kBufferEnds = "nereid.buffer.ends";

struct SharedEvent {
  enum class Kind : uint8_t { Begin, End, Access, Barrier };
  Kind kind;
  unsigned buffer = 0;
  llvm::Instruction *instruction = nullptr;
};

// The events of each block, in order; blocks in reverse post-order.
struct SharedEvents {
  SharedEvents(llvm::Function &function, llvm::ArrayRef<SharedBuffer> buffers);

  struct Block {
    llvm::BasicBlock *block;
    std::vector<SharedEvent> events;
    std::vector<unsigned> predecessors, successors; // indices of blocks
  };
  std::vector<Block> blocks;
  std::vector<llvm::CallInst *> markers;
  std::vector<bool> hasEnd;  // per buffer
  std::vector<bool> escapes; // its address is used where accesses cannot be seen
};

struct SharedPlaces {
  llvm::SmallVector<uint64_t> offsets; // per buffer
  uint64_t bytes = 0;
};

// Buffers that live at the same time do not overlap; the others do only where memory would grow too much otherwise.
SharedPlaces placeBuffers(const SharedEvents &events, llvm::ArrayRef<SharedBuffer> buffers);

// A barrier where a buffer begins, if since the last barrier on some way there its place was accessed.
void placeBarriers(const SharedEvents &events, llvm::ArrayRef<SharedBuffer> buffers, const SharedPlaces &places,
                   const SharedBuffers &emitter);

} // namespace nereid::gpu
