// StreamPool.h: the streams of our own on one GPU. One that is freed is kept for whoever wants the next: of a stream that
// was destroyed, the driver reads memory that is gone, and may crash; a launch on one that is kept can be refused.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/DriverTypes.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace nereid::cuda {

class Device;

class StreamPool {
public:
  // One with nothing left to do. The device's context is current, here and below.
  Result<driver::Stream> take(Device &device);
  // Its work goes on. Streams that somebody else made are refused, and those that are free already.
  Result<void> give(driver::Stream stream);

  // Of the default stream (null) and in a process that has freed none, this costs nothing.
  bool isFree(driver::Stream stream) { return stream && freeCount.load(std::memory_order_relaxed) && findFree(stream); }

private:
  struct Entry {
    driver::Stream stream;
    bool isFree;
  };
  bool findFree(driver::Stream stream);

  std::mutex mutex;
  std::vector<Entry> entries;
  std::atomic<size_t> freeCount{0};
};

} // namespace nereid::cuda
