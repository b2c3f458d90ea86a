#include "gpu/products/ResetSums.h"

#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::gpu {

// What the loop carries on instead of the sum.
static arith::SelectOp resetOf(tile::DotOp dot) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  auto sum = dyn_cast<BlockArgument>(dot.getAcc());
  if (!loop || !sum || sum.getOwner() != loop.getBody() || sum == loop.getInductionVar() || !sum.hasOneUse())
    return {};
  auto select = loop.getTiedLoopYieldedValue(sum)->get().getDefiningOp<arith::SelectOp>();
  bool isReset = select && select->getBlock() == dot->getBlock() && select->hasOneUse() &&
                 select.getFalseValue() == dot.getResult() && select.getCondition().getType().isInteger(1) &&
                 loop.isDefinedOutsideOfLoop(select.getTrueValue());
  return isReset ? select : arith::SelectOp();
}

scf::IfOp endOfSum(tile::DotOp dot) {
  arith::SelectOp select = resetOf(dot);
  scf::IfOp branch;
  for (Operation *user : dot.getResult().getUsers()) {
    if (!select || user == select)
      continue;
    auto parent = dyn_cast_or_null<scf::IfOp>(dot->getBlock()->findAncestorOpInBlock(*user));
    if (!parent || (branch && parent != branch) || parent.getCondition() != select.getCondition() ||
        parent.getNumResults() || !parent.getThenRegion().isAncestor(user->getParentRegion()))
      return {};
    branch = parent;
  }
  return branch;
}

// What layouts put behind the product although only the branch uses it.
static void sinkUsers(tile::DotOp dot, scf::IfOp branch) {
  for (Operation *user : llvm::to_vector(dot.getResult().getUsers())) {
    bool isInBranch = user->getBlock() == dot->getBlock() && isMemoryEffectFree(user) && !user->use_empty() &&
                      llvm::all_of(user->getUsers(), [&](Operation *next) {
                        return branch.getThenRegion().isAncestor(next->getParentRegion());
                      });
    if (isInBranch)
      user->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  }
}

// The only branch behind the product that has this condition.
static scf::IfOp branchOn(Value condition, tile::DotOp dot) {
  scf::IfOp found;
  for (Operation *user : condition.getUsers())
    if (auto branch = dyn_cast<scf::IfOp>(user); branch && branch->getBlock() == dot->getBlock()) {
      if (found)
        return {};
      found = branch;
    }
  return found;
}

static bool reset(tile::DotOp dot) {
  arith::SelectOp select = resetOf(dot);
  if (scf::IfOp branch = select ? branchOn(select.getCondition(), dot) : scf::IfOp())
    sinkUsers(dot, branch);
  scf::IfOp branch = endOfSum(dot);
  if (!branch || (branch.elseBlock() && !branch.elseBlock()->without_terminator().empty()))
    return false;
  IRRewriter builder(dot.getContext());
  builder.setInsertionPoint(branch);
  Type type = dot.getType();
  auto made = scf::IfOp::create(builder, branch.getLoc(), TypeRange(type), select.getCondition(), true);
  made.getThenRegion().takeBody(branch.getThenRegion());
  Block *then = made.thenBlock();
  builder.setInsertionPointToStart(then);
  auto await = warp::AwaitOp::create(builder, dot.getLoc(), TypeRange(type), ValueRange(dot.getResult()), 0);
  dot.getResult().replaceUsesWithIf(await.getResult(0), [&](OpOperand &use) {
    return use.getOwner() != await && made.getThenRegion().isAncestor(use.getOwner()->getParentRegion());
  });
  then->getTerminator()->setOperands(select.getTrueValue());
  builder.setInsertionPointToEnd(made.elseBlock());
  scf::YieldOp::create(builder, dot.getLoc(), dot.getResult());
  builder.replaceOp(select, made.getResults());
  builder.eraseOp(branch);
  return true;
}

// Products that were started as asynchronous ones for this become the second form, or wait where they stand.
static void resetSums(func::FuncOp kernel) {
  llvm::SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) {
    if (dot->hasAttr(warp::kAsyncAttribute) && resetOf(dot))
      dots.push_back(dot);
  });
  for (tile::DotOp dot : dots)
    if (!reset(dot))
      dot->removeAttr(warp::kAsyncAttribute);
}

namespace {

struct ResetSumsPass : PlanPass<ResetSumsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ResetSumsPass)
  StringRef getArgument() const final { return "warp-reset-sums"; }
  StringRef getDescription() const final { return "Await a product only in the branch that takes its sum"; }
  void runOnOperation() final { resetSums(getOperation()); }
};

} // namespace

PassPtr createResetSumsPass(const Options &options) { return std::make_unique<ResetSumsPass>(options); }

} // namespace nereid::gpu
