// Turns.h: two groups of consumers take turns at the tensor cores: one of them has them while the other one works on its result. By
// themselves both would share them, and then leave them alone at the same time.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

// Whether a product is one of two groups of consumers, starts from nothing, and is awaited where it stands.
bool takesTurns(const Lowering &lowering, tile::DotOp dot);

// Each group waits for its own turn, and gives the next one to the other.
void takeTurn(Lowering &lowering);
void giveTurn(Lowering &lowering);

} // namespace nereid::gpu
