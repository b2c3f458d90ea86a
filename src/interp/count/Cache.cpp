#include "interp/count/Cache.h"

#include <algorithm>
#include <bit>

namespace nereid::interp {

// A wave ends early where its programs have more accesses than this, so that memory stays bounded.
static constexpr size_t kMaxWaiting = size_t(1) << 24;

Cache::Cache(uint64_t bytes)
    : sets(std::max<uint64_t>(1, bytes / (kSectorBytes * kLineSectors * kWays))), lines(sets * kWays) {}

void Cache::access(const LineAccess &access, Counts &counts) {
  // Neighbouring lines go to neighbouring sets; strides of a power of two are spread by the higher bits.
  uint64_t hash = access.line ^ (access.line >> 13) ^ (access.line >> 21);
  Line *set = &lines[hash % sets * kWays], *found = nullptr, *oldest = set;
  for (Line *line = set; line != set + kWays; ++line) {
    if (line->tag == access.line + 1)
      found = line;
    if (line->lastUse < oldest->lastUse)
      oldest = line;
  }
  counts.cacheSectors += uint64_t(std::popcount(access.sectors));
  if (!found) {
    counts.memoryBytesWritten += kSectorBytes * uint64_t(std::popcount(oldest->dirty));
    *(found = oldest) = {access.line + 1, 0, 0, 0};
  }
  found->lastUse = ++now;
  auto missing = uint8_t(access.sectors & ~found->present);
  counts.cacheHits += uint64_t(std::popcount(uint8_t(access.sectors & found->present)));
  found->present |= access.sectors;
  if (access.isWrite)
    found->dirty |= access.sectors;
  else
    counts.memoryBytesRead += kSectorBytes * uint64_t(std::popcount(missing));
}

void Cache::finish(Counts &counts) {
  for (Line &line : lines) {
    counts.memoryBytesWritten += kSectorBytes * uint64_t(std::popcount(line.dirty));
    line.dirty = 0;
  }
  counts.memoryBytes = counts.memoryBytesRead + counts.memoryBytesWritten;
}

void Waves::addProgram(std::vector<LineAccess> accesses, Counts &counts) {
  waiting += accesses.size();
  programs.push_back(std::move(accesses));
  if (programs.size() >= resident || waiting > kMaxWaiting)
    replay(counts);
}

void Waves::replay(Counts &counts) {
  std::vector<size_t> at(programs.size());
  for (bool isMore = true; isMore;) {
    isMore = false;
    for (size_t i = 0; i < programs.size(); ++i) {
      if (at[i] == programs[i].size())
        continue;
      do
        cache.access(programs[i][at[i]++], counts);
      while (at[i] < programs[i].size() && !programs[i][at[i]].beginsAccess);
      isMore = true;
    }
  }
  programs.clear();
  waiting = 0;
}

void Waves::finish(Counts &counts) {
  replay(counts);
  cache.finish(counts);
}

} // namespace nereid::interp
