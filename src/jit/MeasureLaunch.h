// MeasureLaunch.h: how long a kernel takes on a GPU, alone: its tensors are brought there once, and what is launched again is
// the code of a launch that was done.
#pragma once

#include "jit/Launch.h"
#include "runtime/bench/Measure.h"

namespace nereid::jit {

Result<runtime::Timings> measureOnCuda(const LaunchedCode &code, const std::array<uint32_t, 3> &grid,
                                       const Settings &settings, const runtime::MeasureOptions &options);

} // namespace nereid::jit
