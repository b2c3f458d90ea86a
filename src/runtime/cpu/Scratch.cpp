// Scratch.cpp: grows to the largest kernel that the thread has run.
#include "runtime/cpu/Scratch.h"

#include <sys/mman.h>

#include <cstdlib>

namespace nereid::cpu {

static constexpr uint64_t kHugePage = 2u << 20;
// Tensors most often begin at the start of a page. A load waits for a store in flight whose address is the same within
// a page: kernels that write as far into a tensor as they read of the scratch memory would wait at every iteration, if that
// began at the start of a page as well.
static constexpr uint64_t kOffset = 2048;

namespace {
struct Scratch {
  std::byte *memory;
  uint64_t bytes; // of use, from the offset on
};
} // namespace

// Every launch reads it. In a shared library an access to a thread's variable asks the loader, which takes as long as a
// tenth of a launch. This one is at a fixed offset instead; a process has room for a few such words.
[[gnu::tls_model("initial-exec")]] static thread_local Scratch scratch = {nullptr, 0};

static void release() {
  std::free(scratch.memory);
  scratch = {nullptr, 0};
}

namespace {
struct ReleaseAtEnd { // of the thread
  ~ReleaseAtEnd() { release(); }
};
} // namespace

static std::byte *grow(uint64_t bytes) {
  static thread_local ReleaseAtEnd atEnd;
  (void)&atEnd;
  release();
  // Packed matrices are read with large strides: huge pages spare most of the page walks.
  uint64_t alignment = bytes >= kHugePage ? kHugePage : 4096;
  uint64_t rounded = (bytes + kOffset + alignment - 1) / alignment * alignment;
  if (rounded < bytes)
    return nullptr;
  auto *memory = static_cast<std::byte *>(std::aligned_alloc(alignment, rounded));
  if (!memory)
    return nullptr;
  scratch = {memory, rounded - kOffset};
  if (alignment == kHugePage)
    madvise(memory, rounded, MADV_HUGEPAGE);
  return memory + kOffset;
}

std::byte *threadScratch(uint64_t bytes) {
  return bytes <= scratch.bytes && scratch.memory ? scratch.memory + kOffset : grow(bytes);
}

void trimThreadScratch() {
  if (scratch.bytes > kKeptScratchBytes)
    release();
}

} // namespace nereid::cpu
