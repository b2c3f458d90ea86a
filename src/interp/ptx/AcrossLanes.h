// AcrossLanes.h: instructions by which the lanes of a warp hear of each other: shuffles, reductions, votes, elections.
#pragma once

#include "interp/ptx/Warp.h"

namespace nereid::interp::ptx {

// Each gives the lanes that do not know their result. `own` is the instruction's operation, spaced.
Lanes shuffle(Warp &warp, const KernelInstruction &instruction, const Operation &own, Lanes lanes);
Lanes reduce(Warp &warp, const KernelInstruction &instruction, const Operation &own, Lanes lanes);
Lanes vote(Warp &warp, const KernelInstruction &instruction, Lanes lanes);
void elect(Warp &warp, const KernelInstruction &instruction, Lanes lanes);

} // namespace nereid::interp::ptx
