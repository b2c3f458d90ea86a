// Counters.h: whether the hardware counters of a GPU can be read in this process.
#pragma once

#include <string>

namespace nereid::profile {

// The reason, in words, and what to do instead.
std::string whyNoCounters();

} // namespace nereid::profile
