// Scratch.cpp: grows to the largest kernel that the thread has run.
#include "runtime/cpu/Scratch.h"

#include <sys/mman.h>

#include <cstdlib>

namespace nereid::cpu {

static constexpr uint64_t kHugePage = 2u << 20;
// Tensors most often begin at the start of a page. A load waits for a store in flight whose address is the same within
// a page: kernels that write as far into a tensor as they read of the scratch memory would wait at every turn, if that
// began at the start of a page as well.
static constexpr uint64_t kOffset = 2048;

namespace {
struct Scratch {
  std::byte *memory = nullptr;
  uint64_t bytes = 0; // of use, from the offset on

  std::byte *start() const { return memory ? memory + kOffset : nullptr; }
  void release() {
    std::free(memory);
    memory = nullptr;
    bytes = 0;
  }
  ~Scratch() { release(); }
};
} // namespace

static thread_local Scratch scratch;

std::byte *threadScratch(uint64_t bytes) {
  if (bytes <= scratch.bytes)
    return scratch.start();
  scratch.release();
  // Packed matrices are read with large strides: huge pages spare most of the page walks.
  uint64_t alignment = bytes >= kHugePage ? kHugePage : 4096;
  uint64_t rounded = (bytes + kOffset + alignment - 1) / alignment * alignment;
  if (rounded < bytes)
    return nullptr;
  scratch.memory = static_cast<std::byte *>(std::aligned_alloc(alignment, rounded));
  if (!scratch.memory)
    return nullptr;
  scratch.bytes = rounded - kOffset;
  if (alignment == kHugePage)
    madvise(scratch.memory, rounded, MADV_HUGEPAGE);
  return scratch.start();
}

void trimThreadScratch() {
  if (scratch.bytes > kKeptScratchBytes)
    scratch.release();
}

} // namespace nereid::cpu
