// ScheduleProducts.h: the registers that products which are under way at the same time take.
#pragma once

#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

// What a thread has in 32-bit registers if all products of an iteration are there at once: results, and left operands that are
// not in shared memory. Of 255 some are left for addresses and for what is computed with.
unsigned registersOf(mlir::scf::ForOp loop);
constexpr unsigned kRegistersForProducts = 200;

// Whether nothing but another product of its block uses the result, to add to it: both have the same registers.
bool goesOn(tile::DotOp dot);

} // namespace nereid::gpu
