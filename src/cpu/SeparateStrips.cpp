// SeparateStrips.cpp: a reduction reads its strips in the nest of the row where the two stand side by side: each gets a
// reshape of its own.
//
//   before  %s = tile.reshape %x;  …;  %a = tile.reduce %s;  %b = tile.reduce %s
//   after   …;  %s = tile.reshape %x;  %a = tile.reduce %s;  %t = tile.reshape %x;  %b = tile.reduce %t
#include "cpu/Passes.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::cpu {

namespace {

void separateStrips(func::FuncOp kernel) {
  kernel.walk([](tile::ReduceOp reduce) {
    auto reshape = reduce.getSources().front().getDefiningOp<tile::ReshapeOp>();
    if (reduce.getSources().size() != 1 || !reshape || (reshape->hasOneUse() && reshape->getNextNode() == reduce))
      return;
    OpBuilder builder(reduce);
    reduce->setOperand(0, builder.clone(*reshape)->getResult(0));
    if (reshape->use_empty())
      reshape.erase();
  });
}

struct SeparateStripsPass : PassWrapper<SeparateStripsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SeparateStripsPass)
  StringRef getArgument() const final { return "tile-separate-strips"; }
  StringRef getDescription() const final { return "Give every reduction of strips a reshape right in front of it"; }
  void runOnOperation() final { separateStrips(getOperation()); }
};

} // namespace

std::unique_ptr<Pass> createSeparateStripsPass() { return std::make_unique<SeparateStripsPass>(); }

void registerPasses() { registerPass(createSeparateStripsPass); }

} // namespace nereid::cpu
