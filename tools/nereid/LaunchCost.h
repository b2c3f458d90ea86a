// LaunchCost.h: what one launch on a GPU costs the host: the driver's own call, the run time's launch from words, and the
// whole way from the arguments of a call.
#pragma once

#include "LaunchWords.h"

namespace nereid::tool {

struct LaunchCost {
  double driver = 0, words = 0, arguments = 0; // seconds, medians
};

// The kernel should be a short one: when the GPU is behind, the host waits for it.
Result<LaunchCost> measureLaunchCost(LaunchWords &launch);

} // namespace nereid::tool
