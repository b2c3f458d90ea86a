// ReadReport.h: what a kernel wrote into its Report, as the text that every device prints.
#pragma once

#include "runtime/cuda/Launch.h"

namespace nereid::cuda {

// Prints stand in the order of programs, and within one in the order in which they ran.
LaunchReport readReport(const Artifact &artifact, const Report &report);

} // namespace nereid::cuda
