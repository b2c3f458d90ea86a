// Arena.h: places for materialized tiles in a thread's scratch memory, known at compile time.
#pragma once

#include <cstdint>
#include <map>

namespace nereid::cpu {

class Arena {
public:
  // The offset of `bytes` free bytes, aligned to 64.
  uint64_t allocate(uint64_t bytes);
  void release(uint64_t offset);
  // Bytes that all allocations so far needed at once.
  uint64_t peak() const { return end; }

private:
  std::map<uint64_t, uint64_t> used, free; // offset → bytes
  uint64_t end = 0;
};

} // namespace nereid::cpu
