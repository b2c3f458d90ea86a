// Counts.h: what a launch did, in numbers: of a source line, or of all of it. Standard library only.
#pragma once

#include "runtime/Failure.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nereid::interp {

// A byte, an element or an operation counts each time that a program asks for it, unless a comment says otherwise.
struct Counts {
  uint64_t programs = 0, launches = 0;
  uint64_t bytesRead = 0, bytesWritten = 0; // an atomic is both
  uint64_t uniqueBytesRead = 0, uniqueBytesWritten = 0;
  uint64_t usefulBytesRead = 0, usefulBytesWritten = 0; // once for each request of a warp
  uint64_t maskedElements = 0;
  uint64_t flops = 0; // all of the kinds that follow, without the special functions
  uint64_t fp16Flops = 0, fp32Flops = 0, fp64Flops = 0, tensorFlops = 0;
  uint64_t tensorFp16 = 0, tensorBf16 = 0, tensorTf32 = 0, tensorFp8 = 0, tensorInt8 = 0;
  uint64_t specialFunctions = 0, integerOperations = 0;
  uint64_t atomics = 0, atomicCollisions = 0;
  // Requests of a warp, the 32-byte sectors and the 128-byte lines that they touch, and the fewest sectors that could hold
  // the bytes of each of them.
  uint64_t requests = 0, sectors = 0, lines = 0, idealSectors = 0;
  // Sectors that the L1 caches had; those that programs asked the L2 cache for, those that it had (or took, of stores), those that
  // it had to get, with neighbours that come along, and what went between it and memory.
  uint64_t firstCacheHits = 0, cacheSectors = 0, cacheHits = 0, cacheMisses = 0, memoryBytesRead = 0,
           memoryBytesWritten = 0, memoryBytes = 0;
  // Of the code for a GPU: extra turns that accesses to shared memory take because banks are asked twice; and, of the whole
  // launch alone, what a thread and a program have, and instructions and parameters, which come from memory too.
  uint64_t bankConflicts = 0, registers = 0, spillBytes = 0, sharedBytes = 0, codeBytes = 0;
  // Instructions that warps of the GPU execute: products on tensor cores, sums and products of fp32, waits at barriers.
  uint64_t tensorInstructions = 0, fp32Instructions = 0, barriers = 0;

  Counts &operator+=(const Counts &other);
};

struct CounterRow {
  std::string_view name; // as in JSON
  uint64_t Counts::*value;
  std::string_view unit; // for text: "bytes", "flops", or nothing
};
// All of them, in the order in which they are printed.
std::span<const CounterRow> counters();

// One line of a file; of code that was called from there too, where the file of that code is not the user's.
struct LineCounts {
  std::string file;
  unsigned line = 0;
  Counts counts;
};

// How the threads of a GPU do an access of a tile. Each request of a warp covers `requestElements` of `order`, which are
// elements of the tile in row-major order; a scalar is asked for `repeats` times, by all warps, and so is what an atomic
// loads and swaps.
struct AccessPlan {
  std::string file;
  unsigned line = 0, column = 0;
  bool isWrite = false;
  uint32_t count = 0; // elements of the tile
  std::vector<uint32_t> order;
  uint32_t requestElements = 32;
  uint32_t repeats = 1;
  bool goesAroundFirstCache = false; // of a load: it does not look into the L1 cache
};

struct CacheShape {
  uint64_t bytes = 0;           // of the L2 cache; 0: there is none
  uint32_t parts = 1;           // of it, which serve a share of the multiprocessors each
  uint64_t firstBytes = 0;      // of the L1 cache of a multiprocessor; 0: there is none
  uint32_t multiprocessors = 1; // with programs one after the other
  uint32_t fetchSectors = 1;    // that come from memory together
  // Of 16 requests of neighbouring multiprocessors for what memory has to give, those that come with another one.
  uint32_t mergedRequests = 0;
};

struct CountOptions {
  std::vector<AccessPlan> plans;   // for accesses without one: 32 lanes in row-major order
  uint64_t residentPrograms = 132; // programs that run at the same time
  CacheShape caches;
};

// What a program read, one number, of what the launch had written, or what an atomic gave it.
struct ReadOfWritten {
  uint64_t program, address, value; // the program by its number in the grid
  bool isAtomic = false;
};

struct CountResult {
  Counts total;
  uint64_t uniqueSectorsRead = 0;
  std::vector<LineCounts> lines;    // by file and line
  std::vector<ReadOfWritten> reads; // in the order of the launch
};

} // namespace nereid::interp
