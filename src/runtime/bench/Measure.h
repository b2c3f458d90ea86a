// Measure.h: how long something takes, from repeated runs: medians and quartiles, which a busy machine disturbs least.
#pragma once

#include <cstddef>
#include <functional>

namespace nereid::runtime {

struct Timings {
  double best = 0, low = 0, median = 0, high = 0; // seconds; low and high: the quartiles
  size_t runs = 0;
};

struct MeasureOptions {
  double seconds = 0.2; // spent about, after one run that does not count
  size_t minRuns = 5, maxRuns = 1000;
  bool flush = false; // what is in the caches goes before each run
  // Stop after the first run when that takes longer, in seconds: it cannot win any more.
  double giveUpAbove = 0; // 0: never
};

// Runs until the time is over, or until `run` gives false. Without a run: zeros.
Timings measure(const std::function<bool()> &run, const MeasureOptions &options = {});

// Replaces what is in the caches, as far as a program can.
void flushCaches();

} // namespace nereid::runtime
