// Wgmma.h: matrix products of four warps together: B, and A where it is not in registers, from shared memory.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

void emitWgmmaProduct(Lowering &lowering, tile::DotOp op);

// Waits until at most `pending` groups of products are under way. The tiles are theirs until then: they pass through
// the wait, so that nobody reads them before.
void waitForProducts(Lowering &lowering, unsigned pending, llvm::MutableArrayRef<llvm::Value *> tiles);

} // namespace nereid::gpu
