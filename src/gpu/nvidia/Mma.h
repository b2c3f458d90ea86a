// Mma.h: matrix products with mma.sync, operands and accumulators in registers.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

void emitMmaProduct(Lowering &lowering, tile::DotOp op, bool isDouble);

} // namespace nereid::gpu
