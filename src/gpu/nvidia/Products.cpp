// Products.cpp: which of the instructions multiplies.
#include "gpu/nvidia/Mma.h"
#include "gpu/nvidia/Wgmma.h"

namespace nereid::gpu {

void Instructions::product(Lowering &lowering, tile::DotOp op) {
  warp::Instruction chosen = *warp::instructionOf(op);
  if (chosen == warp::Instruction::Wgmma)
    return emitWgmmaProduct(lowering, op);
  emitMmaProduct(lowering, op, chosen == warp::Instruction::MmaDouble);
}

} // namespace nereid::gpu
