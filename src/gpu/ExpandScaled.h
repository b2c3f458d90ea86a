// ExpandScaled.h: products of microscaled operands become plain products.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// The op that cannot be expanded, or null.
mlir::Operation *expandScaledProducts(mlir::func::FuncOp kernel);

} // namespace nereid::gpu
