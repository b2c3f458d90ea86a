// Meet.h: where lanes of a warp that part at the end of a block meet again: in the first block that all their ways lead
// through.
#pragma once

#include "interp/ptx/Kernel.h"

namespace nereid::interp::ptx {

// By block; as many as there are blocks: they meet behind the end of the kernel.
std::vector<uint32_t> meetingBlocks(const Kernel &kernel);

} // namespace nereid::interp::ptx
