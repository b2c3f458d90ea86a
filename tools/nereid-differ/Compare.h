// Compare.h: whether two runs left the same in memory.
#pragma once

#include "Memory.h"

namespace nereid::differ {

// One line for each tensor that differs, or that was written out of its bounds; empty where all agree.
std::string compare(const std::vector<Parameter> &parameters, const Memory &tested, const Memory &reference);

} // namespace nereid::differ
