#include "runtime/bench/Measure.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

namespace nereid::runtime {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void flushCaches() {
  constexpr size_t kBytes = size_t(128) << 20; // above the last-level cache that one socket gives a virtual machine
  static const std::unique_ptr<char[]> memory(new char[kBytes]);
  static char value = 0;
  std::memset(memory.get(), ++value, kBytes);
}

Timings measure(const std::function<bool()> &run, const MeasureOptions &options) {
  Timings timings;
  auto first = Clock::now();
  if (!run())
    return timings;
  double warm = secondsSince(first);
  std::vector<double> times;
  bool isHopeless = options.giveUpAbove > 0 && warm > options.giveUpAbove;
  size_t minRuns = isHopeless ? 1 : options.minRuns;
  double budget = isHopeless ? 0 : options.seconds, spent = 0;
  while (times.size() < options.maxRuns && (times.size() < minRuns || spent < budget)) {
    if (options.flush)
      flushCaches();
    auto start = Clock::now();
    if (!run())
      break;
    times.push_back(secondsSince(start));
    spent += times.back();
  }
  if (times.empty())
    return timings;
  std::ranges::sort(times);
  auto at = [&](double share) {
    return times[static_cast<size_t>(share * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {times.front(), at(0.25), at(0.5), at(0.75), times.size()};
}

} // namespace nereid::runtime
