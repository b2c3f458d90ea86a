// Wgmma.h: matrix products of four warps together: B, and A where it is not in registers, from shared memory.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

void emitWgmmaProduct(Lowering &lowering, tile::DotOp op);

} // namespace nereid::gpu
