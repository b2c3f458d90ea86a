// ProfileCounts.h: what `nereid count` says of the kernels of a profile: the least time that their device needs.
#pragma once

#include "Command.h"

#include "runtime/profile/Summary.h"

namespace nereid::tool {

// Launches the longest kernels again on the interpreter, as far as the profile knows how: with tensors of the same shapes and
// the same numbers. Fills in their leastSeconds; a kernel that needs other data (indices, descriptors) has none.
void countKernels(profile::Summary &summary);

} // namespace nereid::tool
