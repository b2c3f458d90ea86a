// Turns.h: two groups of consumers take turns at the tensor cores: one of them has them while the other one works on its result. By
// themselves both would share them, and then leave them alone at the same time.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

// Whether a product is one of two groups of consumers, starts from nothing, and is awaited where it stands.
bool takesTurns(const Lowering &lowering, tile::DotOp dot);
// Products one behind the other, with nothing but reads in between, have one turn together: parts of it by themselves would bring the
// groups into step again. Whether the one before it, or the one behind it, has the same turn.
enum class Neighbour { Before, Behind };
bool sharesTurn(const Lowering &lowering, tile::DotOp dot, Neighbour which);

// Whether the product comes behind work on another one in the same iteration, which the assembler must not put behind its start: it
// would take registers of its own for both.
bool standsApart(tile::DotOp dot);
void keepApart(Lowering &lowering);

// Each group waits for its own turn, and gives the next one to the other.
void takeTurn(Lowering &lowering);
void giveTurn(Lowering &lowering);

} // namespace nereid::gpu
