// Scratch.h: the working memory of one thread, kept from one launch to the next.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nereid::cpu {

// Larger pieces go back to the system after the launch.
inline constexpr uint64_t kKeptScratchBytes = 64u << 20;

// This thread's scratch of at least so many bytes, aligned to 64; its contents are left over from before. Null when the
// system has no memory. At least 64 bytes before it are the run time's own.
std::byte *threadScratch(uint64_t bytes);
// Call after a launch.
void trimThreadScratch();

} // namespace nereid::cpu
