// AccumulateProducts.cpp: a product that is added to a tile starts from that tile. Tensor cores add for nothing; a sum
// of its own holds a second accumulator in registers.
//
//   before  %p = tile.dot %a, %b, %zero;  %d = arith.addf %c, %p
//   after   %d = tile.dot %a, %b, %c
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::gpu {

static bool isZero(Value value) { return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()); }

// The sum that is the only use of the product.
static Operation *sumOf(tile::DotOp dot) {
  if (!dot.getResult().hasOneUse() || !isZero(dot.getAcc()) || dot.getMaxImpreciseAcc() != 0)
    return nullptr;
  Operation *user = *dot.getResult().getUsers().begin();
  return isa<arith::AddFOp, arith::AddIOp>(user) && user->getBlock() == dot->getBlock() ? user : nullptr;
}

static void accumulateProducts(func::FuncOp kernel) {
  llvm::SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  DominanceInfo dominance(kernel);
  for (tile::DotOp dot : dots) {
    Operation *sum = sumOf(dot);
    if (!sum)
      continue;
    Value addend = sum->getOperand(sum->getOperand(0) == dot.getResult() ? 1 : 0);
    if (!dominance.properlyDominates(addend, dot))
      dot->moveBefore(sum);
    dot.getAccMutable().assign(addend);
    sum->getResult(0).replaceAllUsesWith(dot.getResult());
    sum->erase();
  }
}

namespace {

struct AccumulateProductsPass : PlanPass<AccumulateProductsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AccumulateProductsPass)
  StringRef getArgument() const final { return "warp-accumulate-products"; }
  StringRef getDescription() const final { return "Start a product from the tile that it is added to"; }
  void runOnOperation() final { accumulateProducts(getOperation()); }
};

} // namespace

PassPtr createAccumulateProductsPass(const Options &options) {
  return std::make_unique<AccumulateProductsPass>(options);
}

} // namespace nereid::gpu
