// ScheduleProducts.h: when products on tensor cores start, and when they are awaited.
#pragma once

#include "gpu/Options.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

// In loops that PipelineLoops marked with `warp.lag`. Tiles have their layouts.
void scheduleProducts(mlir::func::FuncOp kernel, const Options &options);

// What a thread has in 32-bit registers if all products of a turn are there at once: results, and left operands that are
// not in shared memory. Of 255 some are left for addresses and for what is computed with.
unsigned registersOf(mlir::scf::ForOp loop);
constexpr unsigned kRegistersForProducts = 192;

} // namespace nereid::gpu
