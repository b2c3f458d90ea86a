// SpecializeWarps.h: a warp that only asks for copies, beside warps that only compute.
#pragma once

#include "gpu/Options.h"
#include "gpu/dialect/Warp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// Where a product's loop takes all of its operands by the copy engine, inside of a loop over tiles or where the source
// asks for it with `warp_specialize`.
void specializeWarps(mlir::func::FuncOp kernel, const Options &options);

// Where loops have the two products of attention, with keys and values by the copy engine.
void specializeAttention(mlir::func::FuncOp kernel, const Options &options);

// The kernel's parts, or null.
warp::SpecializeOp specializationOf(mlir::func::FuncOp kernel);
// Warps of the producer.
constexpr unsigned kProducerWarps = 4;

} // namespace nereid::gpu
