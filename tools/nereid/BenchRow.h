// BenchRow.h: one measured launch: its times, what it moved and computed, and its share of the machine's limit.
#pragma once

#include "BenchCase.h"
#include "LaunchCost.h"
#include "LaunchWords.h"

#include "jit/Launch.h"
#include "runtime/bench/Limits.h"
#include "runtime/bench/Measure.h"

namespace nereid::tool {

struct BenchRow {
  std::string name, series, device;
  double size = 0;
  runtime::Timings timings;
  double bytes = 0, flops = 0;
  std::optional<jit::Launched::Resources> resources; // on a GPU
  std::optional<LaunchCost> launchCost;              // where it is asked for
  // The cache that holds all tensors from one run to the next: the rate is its rate, not the memory's.
  struct Resident {
    unsigned level = 0;
    uint64_t bytes = 0, tensorBytes = 0;
  };
  std::optional<Resident> resident;

  double gigabytes() const { return bytes / timings.median / 1e9; }
  double gigaflops() const { return flops / timings.median / 1e9; }
  // The least time that the machine needs for the bytes or for the operations, over the time that was measured.
  bool isBoundByMemory(const runtime::Limits &limits) const {
    return bytes / limits.copyBytes >= flops / limits.fmaFlops;
  }
  double share(const runtime::Limits &limits) const {
    return std::max(bytes / limits.copyBytes, flops / limits.fmaFlops) / timings.median;
  }
};

// Launches once, which compiles and tunes where needed, then measures. Prints what is wrong and gives the exit status.
std::optional<BenchRow> measureCase(const BenchCase &benchCase, LaunchWords &launch,
                                    const runtime::MeasureOptions &options, Console &console, int &status);

} // namespace nereid::tool
