// HoistAddresses.h: index arithmetic of loops, split into what a turn adds and what all turns share.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

void hoistAddresses(mlir::func::FuncOp kernel);

} // namespace nereid::gpu
