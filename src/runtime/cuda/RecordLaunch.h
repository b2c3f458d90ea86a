// RecordLaunch.h: a launch while somebody profiles: when its kernel ran is told by CUPTI, else by two events around it.
#pragma once

#include "runtime/cuda/Launch.h"

namespace nereid::cuda {

Result<void> launchRecorded(const LoadedKernel &kernel, std::span<const uint64_t> words,
                            const std::array<uint32_t, 3> &grid, driver::Stream stream, LaunchFlags flags);

} // namespace nereid::cuda
