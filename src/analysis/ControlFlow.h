// ControlFlow.h: which values a loop or a branch passes on to which.
#pragma once

#include "mlir/IR/Operation.h"

namespace nereid::analysis {

// What enters the regions of a loop, goes round and leaves, and what leaves those of a branch. Nothing for other ops.
void forEachFlow(mlir::Operation *op, llvm::function_ref<void(mlir::ValueRange from, mlir::ValueRange to)> pass);

} // namespace nereid::analysis
