// Cache.h: the L2 cache of a GPU as a model: lines of 128 bytes in sectors of 32, sets of 16 ways, the line used longest
// ago leaves, and what was written goes to memory when its line leaves or the launch ends.
#pragma once

#include "interp/count/Counts.h"

namespace nereid::interp {

inline constexpr uint64_t kSectorBytes = 32, kLineSectors = 4;

// Part of a program's way through memory: sectors of one line.
struct LineAccess {
  uint64_t line; // address / 128
  uint8_t sectors;
  bool isWrite, beginsAccess; // of a tile
};

class Cache {
public:
  explicit Cache(uint64_t bytes);

  void access(const LineAccess &access, Counts &counts);
  // What is left goes to memory.
  void finish(Counts &counts);

private:
  static constexpr unsigned kWays = 16;
  struct Line {
    uint64_t tag = 0; // plus one; 0: nothing
    uint64_t lastUse = 0;
    uint8_t present = 0, dirty = 0;
  };
  uint64_t sets;
  std::vector<Line> lines;
  uint64_t now = 0;
};

// Programs of a launch that run at the same time: their accesses, tile by tile in turns, go to the cache.
class Waves {
public:
  Waves(uint64_t cacheBytes, uint64_t residentPrograms) : cache(cacheBytes), resident(residentPrograms) {}

  void addProgram(std::vector<LineAccess> accesses, Counts &counts);
  void finish(Counts &counts);

private:
  void replay(Counts &counts);

  Cache cache;
  uint64_t resident;
  std::vector<std::vector<LineAccess>> programs;
  size_t waiting = 0; // accesses in `programs`
};

} // namespace nereid::interp
