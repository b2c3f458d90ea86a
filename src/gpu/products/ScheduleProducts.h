// ScheduleProducts.h: the registers that products which are under way at the same time take.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

// What a thread has in 32-bit registers if all products of an iteration are there at once: results, and left operands that are
// not in shared memory. Of 255 some are left for addresses and for what is computed with.
unsigned registersOf(mlir::scf::ForOp loop);
constexpr unsigned kRegistersForProducts = 192;

} // namespace nereid::gpu
