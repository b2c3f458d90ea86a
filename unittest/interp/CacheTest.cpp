// CacheTest.cpp: the model of a cache: what hits, what leaves, what is written, and how programs take turns.
#include "interp/count/Cache.h"

#include <gtest/gtest.h>

using namespace nereid::interp;

namespace {

constexpr uint64_t kSet = 128 * 16; // bytes of a cache with one set

TEST(Cache, SectorsOfALineComeOneByOne) {
  Cache cache(kSet);
  Counts counts;
  cache.access({7, 0b0001, false, true}, counts);
  cache.access({7, 0b0011, false, true}, counts);
  EXPECT_EQ(counts.cacheSectors, 3u);
  EXPECT_EQ(counts.cacheHits, 1u);
  EXPECT_EQ(counts.memoryBytesRead, 64u);
}

TEST(Cache, TheLineUsedLongestAgoLeaves) {
  Cache cache(kSet);
  Counts counts;
  for (uint64_t line = 0; line < 16; ++line)
    cache.access({line, 0b1111, false, true}, counts);
  cache.access({0, 0b1111, false, true}, counts);  // used again
  cache.access({16, 0b1111, false, true}, counts); // takes the place of line 1
  EXPECT_EQ(counts.cacheHits, 4u);
  cache.access({0, 0b1111, false, true}, counts);
  EXPECT_EQ(counts.cacheHits, 8u);
  cache.access({1, 0b1111, false, true}, counts);
  EXPECT_EQ(counts.cacheHits, 8u);
}

TEST(Cache, WhatIsWrittenGoesToMemoryOnce) {
  Cache cache(kSet);
  Counts counts;
  cache.access({1, 0b0011, true, true}, counts);
  cache.access({1, 0b0001, true, true}, counts);
  EXPECT_EQ(counts.memoryBytesWritten, 0u);
  for (uint64_t line = 2; line < 18; ++line)
    cache.access({line, 0b0001, false, true}, counts);
  EXPECT_EQ(counts.memoryBytesWritten, 64u);
  cache.finish(counts);
  EXPECT_EQ(counts.memoryBytesWritten, 64u);
  EXPECT_EQ(counts.memoryBytesRead, 16 * 32u);
  EXPECT_EQ(counts.memoryBytes, 18 * 32u);
}

// Two programs that walk through the same 32 lines: side by side the second finds each line, one after the other none.
TEST(Waves, ProgramsThatRunTogetherShareTheCache) {
  for (uint64_t resident : {1, 2}) {
    Waves waves(kSet, resident);
    Counts counts;
    for (int program = 0; program < 2; ++program) {
      std::vector<LineAccess> accesses;
      for (uint64_t line = 0; line < 32; ++line)
        accesses.push_back({line, 0b1111, false, true});
      waves.addProgram(std::move(accesses), counts);
    }
    waves.finish(counts);
    EXPECT_EQ(counts.cacheSectors, 256u);
    EXPECT_EQ(counts.cacheHits, resident == 2 ? 128u : 0u);
  }
}

} // namespace
