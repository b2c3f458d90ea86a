// HardwareCounters.h: what a GPU itself counts while a kernel runs, by CUPTI's range profiler. Few counters fit into one run: CUPTI runs the
// kernel several times, and puts memory back in between.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/Device.h"

#include <functional>
#include <span>
#include <vector>

namespace nereid::cuda {

struct HardwareCounter {
  const char *name;   // as a profile shows it
  const char *metric; // as NVIDIA's tools call it
};

class HardwareCounters {
public:
  static std::span<const HardwareCounter> all();
  // Of this device; the error says in words why there are none.
  static Result<std::unique_ptr<HardwareCounters>> open(Device &device);
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters &) = delete;

  // One launch, by `launch`, and all() of its kernel in that order. The device is idle before and after it.
  Result<std::vector<double>> count(const std::function<Result<void>()> &launch);

private:
  struct Functions;
  explicit HardwareCounters(Device &device);
  Result<void> configure();
  Result<void> tell(int status, const char *what) const;

  Device &device;
  std::unique_ptr<Functions> call;
  std::vector<uint8_t> config, counters;
  void *host = nullptr, *ranges = nullptr; // CUPTI's objects
};

} // namespace nereid::cuda
