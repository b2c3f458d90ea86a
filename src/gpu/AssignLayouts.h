// AssignLayouts.h: gives every tile of a kernel its layout.
#pragma once

#include "gpu/Options.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

void assignLayouts(mlir::func::FuncOp kernel, const Options &options);

} // namespace nereid::gpu
