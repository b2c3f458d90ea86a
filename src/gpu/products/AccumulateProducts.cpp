// AccumulateProducts.cpp: a product that is added to a tile starts from that tile. Tensor cores add for nothing; a sum
// of its own holds a second accumulator in registers.
//
//   before  %p = tile.dot %a, %b, %zero;  %d = arith.addf %c, %p
//   after   %d = tile.dot %a, %b, %c
//
// The same holds for several products that add to each other.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::gpu {

static bool isZero(Value value) { return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()); }

// Products that add to each other, from the first one, which starts from zero, to `last`; empty where there are none such.
static llvm::SmallVector<tile::DotOp> chainTo(tile::DotOp last) {
  llvm::SmallVector<tile::DotOp> chain;
  for (tile::DotOp dot = last; dot; dot = dot.getAcc().getDefiningOp<tile::DotOp>()) {
    if (!dot.getResult().hasOneUse() || dot->getBlock() != last->getBlock() || dot.getMaxImpreciseAcc() != 0)
      return {};
    chain.push_back(dot);
    if (isZero(dot.getAcc()))
      return llvm::to_vector(llvm::reverse(chain));
  }
  return {};
}

// The sum that is the only use of the product.
static Operation *sumOf(tile::DotOp dot) {
  if (!dot.getResult().hasOneUse())
    return nullptr;
  Operation *user = *dot.getResult().getUsers().begin();
  return isa<arith::AddFOp, arith::AddIOp>(user) && user->getBlock() == dot->getBlock() ? user : nullptr;
}

// False where the product, with those that it adds to, starts from its tile already or is added to none.
static bool accumulate(tile::DotOp last, DominanceInfo &dominance) {
  Operation *sum = sumOf(last);
  llvm::SmallVector<tile::DotOp> chain = sum ? chainTo(last) : llvm::SmallVector<tile::DotOp>();
  if (chain.empty())
    return false;
  Value addend = sum->getOperand(sum->getOperand(0) == last.getResult() ? 1 : 0);
  if (!dominance.properlyDominates(addend, chain.front()))
    for (tile::DotOp dot : chain)
      dot->moveBefore(sum);
  chain.front().getAccMutable().assign(addend);
  sum->getResult(0).replaceAllUsesWith(last.getResult());
  sum->erase();
  return true;
}

static void accumulateProducts(func::FuncOp kernel) {
  llvm::SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  DominanceInfo dominance(kernel);
  for (tile::DotOp dot : dots)
    while (accumulate(dot, dominance)) {
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
