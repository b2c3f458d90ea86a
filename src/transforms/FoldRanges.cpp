// FoldRanges.cpp: scalars for which the bounds of loops leave one value only. Kernels that are written for lists of blocks look up the next
// entry, and use it where a block ends; where all iterations are in the first block, nobody uses it.
//
//   before  for %i = 0 to min(%n, 64) { %last = (%i + 1) % 16777216 == 0;  %step = select %last, %jump, %plain }
//   after   for %i = 0 to min(%n, 64) { %step = select false, %jump, %plain }
//
// The ranges are MLIR's. It takes bounds of loops as signed numbers: a kernel with a loop over unsigned ones stays as it is.
#include "transforms/Passes.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

bool hasUnsignedLoops(func::FuncOp kernel) {
  return kernel
      .walk([](scf::ForOp loop) { return loop.getUnsignedCmp() ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

std::optional<APInt> onlyNumber(DataFlowSolver &solver, Value value) {
  auto *known = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!known || known->getValue().isUninitialized())
    return std::nullopt;
  return known->getValue().getValue().getConstantValue();
}

void foldRanges(func::FuncOp kernel) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(kernel)))
    return;
  llvm::SmallVector<std::pair<Value, APInt>> found;
  kernel.walk([&](Operation *op) {
    bool isPlain = isMemoryEffectFree(op) && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::ConstantLike>();
    for (Value result : op->getResults())
      if (isPlain && !result.use_empty() && isa<IntegerType>(result.getType()))
        if (std::optional<APInt> number = onlyNumber(solver, result))
          found.push_back({result, *number});
  });
  for (auto &[value, number] : found) {
    OpBuilder builder(value.getDefiningOp());
    auto constant = IntegerAttr::get(value.getType(), number);
    value.replaceAllUsesWith(arith::ConstantOp::create(builder, value.getLoc(), constant));
  }
}

struct FoldRangesPass : PassWrapper<FoldRangesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldRangesPass)
  StringRef getArgument() const final { return "tile-fold-ranges"; }
  StringRef getDescription() const final { return "Make constants of numbers that can be one number only"; }
  void runOnOperation() final {
    if (!hasUnsignedLoops(getOperation()))
      foldRanges(getOperation());
  }
};

} // namespace

std::unique_ptr<Pass> createFoldRangesPass() { return std::make_unique<FoldRangesPass>(); }

} // namespace nereid::transforms
