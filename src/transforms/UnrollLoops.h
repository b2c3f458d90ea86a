// UnrollLoops.h: several iterations of a loop, one behind the other.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::transforms {

// Copies `count` iterations of the loop to where the builder stands, the first with the index `first` and these values of what
// the loop carries: what the last of them yields.
llvm::SmallVector<mlir::Value> copyIterations(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::Value first,
                                              mlir::ValueRange carried, int64_t count, int64_t step);

} // namespace nereid::transforms
