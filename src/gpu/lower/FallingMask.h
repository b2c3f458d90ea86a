// FallingMask.h: masks that hold for the first elements of a run, as `columns < n` does where nothing is known of n.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

// How many elements the mask takes of the run of `width` registers that begins with `first`: an i32.
llvm::Value *countOfFirst(Lowering &lowering, llvm::Value *mask, unsigned first, unsigned width);

} // namespace nereid::gpu
