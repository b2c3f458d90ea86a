// Measure.h: how long launches take on a GPU, and what it can do at most.
#pragma once

#include "runtime/bench/Limits.h"
#include "runtime/bench/Measure.h"
#include "runtime/cuda/Stream.h"

#include <functional>

namespace nereid::cuda {

using LaunchInto = std::function<Result<void>(driver::Stream)>;

// Times of the device alone. With `flush`, events around each launch, and the L2 cache is overwritten before it: what a
// kernel takes whose data comes from memory. Without, many launches in one recorded graph, so that no launch costs host
// time: what it takes when it finds its data in the cache.
Result<runtime::Timings> measureLaunches(Device &device, const LaunchInto &launch,
                                         const runtime::MeasureOptions &options);

// The rate of memory is measured: the better one of copying and of writing. Multiply-adds are those of the
// tensor cores in fp16, by the number of cores and the clock.
Result<runtime::Limits> measureLimits(Device &device);

} // namespace nereid::cuda
