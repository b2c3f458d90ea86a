// LoopStep.h: the steps of loops that are known at run time only. A loop counts upwards: Triton leaves open what a step
// of zero or less does, the interpreter reports it, and the back ends look at it before the loop.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/IR/IRBuilder.h"

namespace nereid::codegen {

// Whether the loop's step may turn out to be zero or less.
bool mayStandStill(mlir::scf::ForOp loop);

// Whether the step, a value of that loop, is.
llvm::Value *standsStill(llvm::IRBuilder<> &builder, mlir::scf::ForOp loop, llvm::Value *step);

} // namespace nereid::codegen
