// Timing.h: where there is a GPU, how long a test takes on it, and which share of the device's limit that is.
#pragma once

#include "learn/Goals.h"

namespace nereid::learn {

struct MeasuredTime {
  std::string device;   // "NVIDIA H200"
  std::string sizes;    // the numbers that differ from the test's, in words; empty: none
  double seconds = 0;   // of all launches together, with their data in memory, not in the cache
  double share = 0;     // of the limit; 0: not known
  bool isMemory = true; // which limit it is: memory, else tensor cores
};

// What is timed in a unit: the test that it names, else that of its first goal. Nothing for a unit that has neither.
std::optional<Test> timedTest(const Unit &unit);

// `device` is "cuda" or "cuda:1". `counters`: of the same test, for the limit of a unit that does not say it.
Result<MeasuredTime> timeTest(jit::KernelModule &module, jit::KernelModule &python, const Unit &unit, const Test &test,
                              const std::string &device, const Counters &counters);

// `12.3 us on NVIDIA H200, 0.81 of the limit (memory) with n=16777216`.
std::string describe(const MeasuredTime &time);

} // namespace nereid::learn
