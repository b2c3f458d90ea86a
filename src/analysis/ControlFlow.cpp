#include "analysis/ControlFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::analysis {

void forEachFlow(Operation *op, llvm::function_ref<void(ValueRange from, ValueRange to)> pass) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    pass(loop.getInitArgs(), loop.getRegionIterArgs());
    pass(loop.getYieldedValues(), loop.getRegionIterArgs());
    pass(loop.getRegionIterArgs(), loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    pass(loop.getInits(), loop.getBeforeArguments());
    pass(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    pass(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    pass(loop.getConditionOp().getArgs(), loop.getResults());
  } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults()) {
    pass(branch.thenYield().getOperands(), branch.getResults());
    pass(branch.elseYield().getOperands(), branch.getResults());
  }
}

} // namespace nereid::analysis
