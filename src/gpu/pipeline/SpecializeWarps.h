// SpecializeWarps.h: a warp that only asks for copies, beside warps that only compute.
#pragma once

#include "gpu/dialect/Warp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// The kernel's parts, or null.
warp::SpecializeOp specializationOf(mlir::func::FuncOp kernel);
// Whether its producer copies rows by pointers, with all its threads.
bool copiesRows(warp::SpecializeOp parts);
// Warps of the producer.
constexpr unsigned kProducerWarps = 4;

} // namespace nereid::gpu
