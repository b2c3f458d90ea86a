// Launch.h: a launch from words: one for each argument of the compiled function, as on the CPU. Takes no lock and no
// memory where the kernel needs no scratch.
#pragma once

#include "runtime/cuda/LoadedKernel.h"

#include <array>
#include <span>

namespace nereid::cuda {

// How a launch differs from what its kernel says of itself.
struct LaunchFlags {
  bool isCooperative = false; // all programs run at the same time
  bool launchesDependents =
      false;               // programmatic dependent launch: it may begin before the kernel in front of it has ended
  bool isRecorded = false; // the profiler knows of it
};

// Puts the kernel into the stream and does not wait for it. The grid counts programs; a program is one block.
Result<void> launch(const LoadedKernel &kernel, std::span<const uint64_t> words, const std::array<uint32_t, 3> &grid,
                    driver::Stream stream = nullptr, LaunchFlags flags = {});

// A warp was inside of a scope of the kernel.
struct WarpScope {
  const Site *site; // of its beginning
  uint64_t program; // its number in the grid
  uint32_t warp;
  int64_t begin, end; // nanoseconds since the first mark of the launch
  uint64_t cycles;    // of the multiprocessor
};

// What a kernel with prints, assertions and scopes left behind.
struct LaunchReport {
  std::string output;
  const Site *failure = nullptr; // of the kernel: the first that failed, in
  std::array<uint32_t, 3> program{};
  std::vector<WarpScope> scopes; // by program and warp, in the order in which they ended
};

// The same, and where the kernel prints or can fail, waits for it and reads what it said. A stream that records a graph
// is not waited for.
Result<LaunchReport> launchAndReport(const LoadedKernel &kernel, std::span<const uint64_t> words,
                                     const std::array<uint32_t, 3> &grid, driver::Stream stream = nullptr,
                                     LaunchFlags flags = {});

} // namespace nereid::cuda
