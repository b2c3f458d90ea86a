// RaiseLoops.cpp: a `while` that counts is a `for`, which can be pipelined and unrolled.
//
//   before  scf.while (%i = %from, …) { %goes_on = arith.cmpi slt, %i, %to; scf.condition(%goes_on) %i, … }
//           do { …; %next = arith.addi %i, %c64; scf.yield %next, … }
//   after   scf.for %i = %from to %to step %c64 iter_args(…) { … }
#include "transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

// The number that is compared before each iteration, as the iteration has it.
BlockArgument counterOf(scf::WhileOp loop) {
  auto compare = loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  // A condition with options (`tl.condition`) keeps them.
  if (!compare || compare->getBlock() != loop.getBeforeBody() || !compare->getDiscardableAttrs().empty())
    return {};
  bool isSwapped = compare.getPredicate() == arith::CmpIPredicate::sgt;
  auto counter = dyn_cast<BlockArgument>(isSwapped ? compare.getRhs() : compare.getLhs());
  if (!counter || counter.getOwner() != loop.getBeforeBody())
    return {};
  for (auto [passed, argument] : llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
    if (passed == counter)
      return argument;
  return {};
}

// Upwards, by a constant: a step that might be 0 or less has another meaning in each of the two.
bool countsUp(scf::WhileOp loop) {
  BlockArgument counter = counterOf(loop);
  if (!counter)
    return false;
  for (Operation *user : counter.getUsers()) {
    APInt step;
    auto sum = dyn_cast<arith::AddIOp>(user);
    if (sum && sum->getBlock() == loop.getAfterBody() && matchPattern(sum.getRhs(), m_ConstantInt(&step)) &&
        step.isStrictlyPositive() && llvm::is_contained(loop.getYieldOp().getOperands(), sum.getResult()))
      return true;
  }
  return false;
}

struct RaiseLoopsPass : PassWrapper<RaiseLoopsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RaiseLoopsPass)
  StringRef getArgument() const final { return "tile-raise-loops"; }
  StringRef getDescription() const final { return "Make `for` of `while` where it counts"; }
  void runOnOperation() final {
    SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); }); // inner ones first
    IRRewriter rewriter(&getContext());
    for (scf::WhileOp loop : loops)
      if (countsUp(loop)) {
        rewriter.setInsertionPoint(loop);
        (void)scf::upliftWhileToForLoop(rewriter, loop);
      }
  }
};

} // namespace

std::unique_ptr<Pass> createRaiseLoopsPass() { return std::make_unique<RaiseLoopsPass>(); }

} // namespace nereid::transforms
