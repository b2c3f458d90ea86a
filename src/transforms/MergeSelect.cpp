// MergeSelect.cpp: a masked load whose lanes outside the mask are replaced at once says so itself. The replaced lanes are
// then never undefined, and every back end saves the select.
//
//   before  %v = tile.load %p mask %m
//           %w = arith.select %m, %v, %other
//   after   %w = tile.load %p mask %m other %other
#include "transforms/Passes.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

// The load that `select` completes: masked by the select's own condition, without an `other`, and used by it alone.
tile::LoadOp mergeableLoad(arith::SelectOp select) {
  auto load = select.getTrueValue().getDefiningOp<tile::LoadOp>();
  bool fits = load && load.getMask() == select.getCondition() && !load.getOther() && load->hasOneUse();
  return fits ? load : tile::LoadOp();
}

void mergeSelects(Operation *function, DominanceInfo &dominance) {
  function->walk([&](arith::SelectOp select) {
    tile::LoadOp load = mergeableLoad(select);
    if (!load || !dominance.properlyDominates(select.getFalseValue(), load))
      return;
    load.getOtherMutable().assign(select.getFalseValue());
    select.replaceAllUsesWith(load.getResult());
    select.erase();
  });
}

struct MergeSelectPass : PassWrapper<MergeSelectPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeSelectPass)
  StringRef getArgument() const final { return "tile-merge-select"; }
  StringRef getDescription() const final {
    return "Give a masked load the value that a select puts into its other lanes";
  }
  void runOnOperation() final { mergeSelects(getOperation(), getAnalysis<DominanceInfo>()); }
};

} // namespace

std::unique_ptr<Pass> createMergeSelectPass() { return std::make_unique<MergeSelectPass>(); }

} // namespace nereid::transforms
