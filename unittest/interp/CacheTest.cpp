// CacheTest.cpp: the model of the caches: what hits, what leaves, what is written, parts and their copies, requests that come
// together, and how programs take turns.
#include "interp/count/Cache.h"

#include <gtest/gtest.h>

using namespace nereid::interp;

namespace {

using Kind = LineAccess::Kind;
constexpr uint64_t kSet = 128 * 16; // bytes of a cache with one set

LineAccess read(uint64_t line, uint8_t sectors = 0b1111) { return {line, sectors, Kind::Read, true}; }

TEST(Caches, SectorsOfALineComeOneByOne) {
  Caches caches({.bytes = kSet});
  Counts counts;
  caches.access(read(7, 0b0001), {0}, counts);
  caches.access(read(7, 0b0011), {0}, counts);
  EXPECT_EQ(counts.cacheSectors, 3u);
  EXPECT_EQ(counts.cacheHits, 1u);
  EXPECT_EQ(counts.memoryBytesRead, 64u);
}

TEST(Caches, MemoryGivesNeighboursToo) {
  Caches caches({.bytes = kSet, .fetchSectors = 2});
  Counts counts;
  caches.access(read(7, 0b0101), {0}, counts);
  EXPECT_EQ(counts.memoryBytesRead, 128u);
  caches.access(read(7, 0b1010), {0}, counts);
  EXPECT_EQ(counts.cacheHits, 2u);
  EXPECT_EQ(counts.memoryBytesRead, 128u);
}

TEST(Caches, TheLineUsedLongestAgoLeaves) {
  Caches caches({.bytes = kSet});
  Counts counts;
  for (uint64_t line = 0; line < 16; ++line)
    caches.access(read(line), {0}, counts);
  caches.access(read(0), {0}, counts);  // used again
  caches.access(read(16), {0}, counts); // takes the place of line 1
  EXPECT_EQ(counts.cacheHits, 4u);
  caches.access(read(0), {0}, counts);
  EXPECT_EQ(counts.cacheHits, 8u);
  caches.access(read(1), {0}, counts);
  EXPECT_EQ(counts.cacheHits, 8u);
}

TEST(Caches, WhatIsWrittenHitsAndGoesToMemoryOnce) {
  Caches caches({.bytes = kSet});
  Counts counts;
  caches.access({1, 0b0011, Kind::Write, true}, {0}, counts);
  caches.access({1, 0b0001, Kind::Write, true}, {0}, counts);
  EXPECT_EQ(counts.cacheHits, 3u);
  EXPECT_EQ(counts.memoryBytesWritten, 0u);
  for (uint64_t line = 2; line < 18; ++line)
    caches.access(read(line, 0b0001), {0}, counts);
  EXPECT_EQ(counts.memoryBytesWritten, 64u);
  caches.finish(counts);
  EXPECT_EQ(counts.memoryBytesWritten, 64u);
  EXPECT_EQ(counts.memoryBytesRead, 16 * 32u);
  EXPECT_EQ(counts.memoryBytes, 18 * 32u);
}

TEST(Caches, AtomicsReadWhatTheyChange) {
  Caches caches({.bytes = kSet, .firstBytes = kSet});
  Counts counts;
  caches.access({1, 0b0011, Kind::Atomic, true}, {0}, counts);
  caches.access({1, 0b0011, Kind::Atomic, true}, {0}, counts);
  EXPECT_EQ(counts.cacheSectors, 4u);
  EXPECT_EQ(counts.cacheHits, 2u);
  EXPECT_EQ(counts.memoryBytesRead, 64u);
}

TEST(Caches, EachMultiprocessorHasAnL1Cache) {
  Caches caches({.bytes = kSet, .firstBytes = kSet, .multiprocessors = 2});
  Counts counts;
  for (uint64_t multiprocessor : {0, 0, 1})
    caches.access(read(3), {multiprocessor}, counts);
  EXPECT_EQ(counts.firstCacheHits, 4u);
  EXPECT_EQ(counts.cacheSectors, 8u);
  EXPECT_EQ(counts.cacheHits, 4u);
  caches.access({3, 0b1111, Kind::ReadAround, true}, {0}, counts);
  EXPECT_EQ(counts.cacheSectors, 12u);
}

// Where all multiprocessors read all lines, each sector is missed once where its home is, or asked first, and once more in the
// other half unless the half that asked first was that one: then it is there, or half of the time still on its way.
TEST(Caches, HalvesKeepCopies) {
  constexpr uint64_t kLines = 32 * 64, kMultiprocessors = 64;
  auto missesOfASector = [&](bool isAtOnce) {
    Caches caches({.bytes = 64 << 20, .parts = 2, .multiprocessors = kMultiprocessors});
    Counts counts;
    for (uint64_t line = 0; line < kLines; ++line)
      for (uint64_t i = 0; i < kMultiprocessors; ++i) {
        if (!isAtOnce)
          caches.beginTurn();
        caches.access(read(line), {0, unsigned((i + line) % kGroups)}, counts);
      }
    EXPECT_EQ(counts.memoryBytesRead, kLines * 128);
    EXPECT_EQ(counts.cacheMisses, counts.cacheSectors - counts.cacheHits);
    return double(counts.cacheMisses) / (kLines * 4);
  };
  EXPECT_NEAR(missesOfASector(false), 1.5, 0.1);
  EXPECT_NEAR(missesOfASector(true), 1.75, 0.1); // 1.71 to 1.75 on an H200
}

// Memory gives two sectors, both misses of the first request. The second one is a hit later, and half of the time no request of
// its own if it is asked for at once.
TEST(Caches, SectorsThatAreAskedForAtOnceGoTogether) {
  constexpr uint64_t kLines = 1000;
  auto hitsOfALine = [&](uint64_t linesAtOnce) {
    Caches caches({.bytes = 64 << 20, .firstBytes = 1 << 20, .fetchSectors = 2});
    Counts counts;
    for (uint64_t line = 0; line < kLines; line += linesAtOnce)
      for (uint8_t sector : {0b0001, 0b0010})
        for (uint64_t i = 0; i < linesAtOnce; ++i)
          caches.access(read(line + i, sector), {0}, counts);
    EXPECT_EQ(counts.cacheSectors, 2 * kLines);
    EXPECT_EQ(counts.cacheMisses, 2 * kLines);
    return double(counts.cacheHits) / kLines;
  };
  EXPECT_NEAR(hitsOfALine(4), 0.38, 0.05);
  EXPECT_EQ(hitsOfALine(20), 1);
}

TEST(Caches, WhatIsWrittenIsReadAnewByTheOtherHalf) {
  Caches caches({.bytes = 1 << 20, .parts = 2, .multiprocessors = 16});
  Counts counts;
  auto readAll = [&] {
    for (uint64_t i = 0; i < 16; ++i)
      caches.access(read(5), {i, unsigned(i % kGroups)}, counts);
  };
  readAll();
  caches.access({5, 0b1111, Kind::Write, true}, {0}, counts);
  Counts before = counts;
  readAll();
  EXPECT_EQ(counts.memoryBytesRead, before.memoryBytesRead);
  EXPECT_EQ(counts.cacheSectors - before.cacheSectors - (counts.cacheHits - before.cacheHits), 4u);
}

// Of a group that asks for the same line: memory has to give it, or it is there.
TEST(Caches, RequestsOfAGroupComeTogether) {
  auto requestsOfALine = [](unsigned multiprocessors, unsigned groups, bool isThere) {
    constexpr uint64_t kLines = 1000;
    Caches caches({.bytes = 1 << 20, .multiprocessors = 16, .mergedRequests = 14});
    Counts counts;
    for (uint64_t line = 0; line < kLines; ++line) {
      if (isThere)
        caches.access({line, 0b0001, Kind::ReadAround, true}, {0}, counts);
      caches.beginTurn();
      for (unsigned i = 0; i < multiprocessors; ++i)
        caches.access({line, 0b0001, Kind::ReadAround, true}, {i, i % groups}, counts);
    }
    return double(counts.cacheSectors) / kLines - isThere;
  };
  EXPECT_EQ(requestsOfALine(1, 1, false), 1);
  EXPECT_NEAR(requestsOfALine(2, 1, false), 1 + 2.0 / 16, 0.05);
  EXPECT_NEAR(requestsOfALine(8, 2, false), 2 + 6 * 2.0 / 16, 0.1);
  EXPECT_EQ(requestsOfALine(8, 8, false), 8);
  EXPECT_NEAR(requestsOfALine(8, 1, true), 1 + 7 * 14.0 / 16, 0.1);
}

// A program that waited for another one's results: in turns its reads come before the writes.
TEST(Caches, WhatAnotherProgramWroteIsThere) {
  Caches caches({.bytes = kSet});
  Counts counts;
  caches.access({3, 0b0011, Kind::Read, true, true}, {0}, counts);
  caches.access({3, 0b1100, Kind::Read, true, false}, {0}, counts);
  EXPECT_EQ(counts.cacheHits, 2u);
  EXPECT_EQ(counts.memoryBytesRead, 64u);
}

// The runs of grids that an H200 of 132 multiprocessors was given.
TEST(Waves, ProgramsGoToGroupsInRuns) {
  auto runsOf = [](size_t count) {
    std::vector<uint8_t> groups = groupsOf(count, 132);
    EXPECT_EQ(groups.size(), count);
    std::vector<size_t> runs;
    for (size_t i = 8; i < count; ++i)
      groups[i] == groups[i - 1] && i > 8 ? ++runs.back() : (runs.push_back(1), 0u);
    return runs;
  };
  EXPECT_EQ(groupsOf(8, 132), (std::vector<uint8_t>{4, 4, 0, 0, 0, 0, 4, 4}));
  EXPECT_EQ(runsOf(16), (std::vector<size_t>{1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(runsOf(32), (std::vector<size_t>{3, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(runsOf(49), (std::vector<size_t>{4, 6, 6, 5, 5, 5, 5, 5}));
  EXPECT_EQ(runsOf(64), (std::vector<size_t>{4, 8, 8, 8, 7, 7, 7, 7}));
}

// Two programs that walk through the same 32 lines: side by side the second finds each line, one after the other none.
TEST(Waves, ProgramsThatRunTogetherShareTheCache) {
  for (uint64_t resident : {1, 2}) {
    Waves waves({.bytes = kSet}, resident);
    Counts counts;
    for (int program = 0; program < 2; ++program) {
      std::vector<LineAccess> accesses;
      for (uint64_t line = 0; line < 32; ++line)
        accesses.push_back(read(line));
      waves.addProgram(std::move(accesses), counts);
    }
    waves.finish(counts);
    EXPECT_EQ(counts.cacheSectors, 256u);
    EXPECT_EQ(counts.cacheHits, resident == 2 ? 128u : 0u);
  }
}

} // namespace
