// RaiseLoops.cpp: a `while` that counts is a `for`, which can be pipelined and unrolled.
//
//   before  scf.while (%i = %from, …) { %goes_on = arith.cmpi slt, %i, %to; scf.condition(%goes_on) %i, … }
//           do { …; %next = arith.addi %i, %c64; scf.yield %next, … }
//   after   scf.for %i = %from to %to step %c64 iter_args(…) { … }
//
// Where the number is asked for behind the loop, it is carried beside the induction variable: it is where counting has ended, which
// is `from` where the loop never runs. (MLIR's own `upliftWhileToForLoop` leaves the last number inside of the loop.)
#include "transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

// A loop that goes on while the number that it carries at `index` is less than `bound`, which no iteration changes.
struct Counting {
  unsigned index;
  Value bound;
  APInt step;
};

// All that is looked at before an iteration is one comparison, and an iteration gets what came there.
arith::CmpIOp onlyComparison(scf::WhileOp loop) {
  Block *test = loop.getBeforeBody();
  scf::ConditionOp condition = loop.getConditionOp();
  auto compare = condition.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare->getBlock() != test || !compare->hasOneUse() || !llvm::hasNItems(*test, 2) ||
      ValueRange(test->getArguments()) != ValueRange(condition.getArgs()))
    return {};
  // A condition with options (`tl.condition`) keeps them.
  return compare->getDiscardableAttrs().empty() ? compare : arith::CmpIOp();
}

// Upwards, by a constant: a step that might be 0 or less has another meaning in each of the two.
std::optional<APInt> stepOf(scf::WhileOp loop, unsigned index) {
  auto next = loop.getYieldOp().getOperand(index).getDefiningOp<arith::AddIOp>();
  if (!next)
    return std::nullopt;
  APInt step;
  BlockArgument counter = loop.getAfterArguments()[index];
  for (auto [value, by] : {std::pair(next.getLhs(), next.getRhs()), std::pair(next.getRhs(), next.getLhs())})
    if (value == counter && matchPattern(by, m_ConstantInt(&step)) && step.isStrictlyPositive())
      return step;
  return std::nullopt;
}

std::optional<Counting> countingOf(scf::WhileOp loop) {
  arith::CmpIOp compare = onlyComparison(loop);
  if (!compare)
    return std::nullopt;
  bool isSwapped = compare.getPredicate() == arith::CmpIPredicate::sgt;
  if (!isSwapped && compare.getPredicate() != arith::CmpIPredicate::slt)
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(isSwapped ? compare.getRhs() : compare.getLhs());
  Value bound = isSwapped ? compare.getLhs() : compare.getRhs();
  if (!counter || counter.getOwner() != loop.getBeforeBody() || bound.getParentBlock() == loop.getBeforeBody())
    return std::nullopt;
  // Loops count with 32 or 64 bits.
  if (!counter.getType().isInteger(32) && !counter.getType().isInteger(64))
    return std::nullopt;
  std::optional<APInt> step = stepOf(loop, counter.getArgNumber());
  return step ? std::optional(Counting{counter.getArgNumber(), bound, *step}) : std::nullopt;
}

void raise(IRRewriter &rewriter, scf::WhileOp loop, const Counting &counting) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value from = loop.getInits()[counting.index];
  Value step = arith::ConstantOp::create(rewriter, loc, IntegerAttr::get(from.getType(), counting.step));
  SmallVector<unsigned> carried;
  for (OpResult result : loop.getResults())
    if (result.getResultNumber() != counting.index || !result.use_empty())
      carried.push_back(result.getResultNumber());
  auto select = [&](ValueRange all) {
    return llvm::map_to_vector(carried, [&](unsigned index) { return all[index]; });
  };
  auto raised = scf::ForOp::create(rewriter, loc, from, counting.bound, step, select(loop.getInits()));
  SmallVector<Value> arguments(loop.getNumResults());
  for (auto [index, argument] : llvm::zip(carried, raised.getRegionIterArgs()))
    arguments[index] = argument;
  arguments[counting.index] = raised.getInductionVar();
  Block *body = raised.getBody();
  body->clear(); // a loop that carries nothing has its end already
  scf::YieldOp yield = loop.getYieldOp();
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, select(yield.getOperands()));
  rewriter.inlineBlockBefore(loop.getAfterBody(), body, body->end(), arguments);
  for (auto [index, result] : llvm::zip(carried, raised.getResults()))
    rewriter.replaceAllUsesWith(loop.getResult(index), result);
  rewriter.eraseOp(loop);
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
      if (std::optional<Counting> counting = countingOf(loop))
        raise(rewriter, loop, *counting);
  }
};

} // namespace

std::unique_ptr<Pass> createRaiseLoopsPass() { return std::make_unique<RaiseLoopsPass>(); }

} // namespace nereid::transforms
