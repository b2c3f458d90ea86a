// SpreadHints.cpp: what is stated of a value holds for the value, also where the statement's result is dropped
// (`tl.multiple_of(offsets, 16)` on a line of its own): everything behind it uses the result.
//
//   before  %h = tile.hint %x {divisibility = 16};  tile.load %x
//   after   %h = tile.hint %x {divisibility = 16};  tile.load %h
#include "transforms/Passes.h"

#include "dialect/Tile.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

// Used by nothing, or by such statements alone. Where the result is used, the program has chosen what uses it.
bool isDropped(Operation *hint) {
  return llvm::all_of(hint->getUsers(), [](Operation *user) { return isa<tile::HintOp>(user) && isDropped(user); });
}

void spreadHints(Operation *function) {
  llvm::SmallVector<tile::HintOp> hints;
  function->walk([&](tile::HintOp hint) {
    if (isDropped(hint))
      hints.push_back(hint);
  });
  if (hints.empty())
    return;
  DominanceInfo dominance(function);
  for (tile::HintOp hint : hints)
    hint.getSource().replaceUsesWithIf(hint.getResult(), [&](OpOperand &use) {
      return use.getOwner() != hint && dominance.properlyDominates(hint.getOperation(), use.getOwner());
    });
}

struct SpreadHintsPass : PassWrapper<SpreadHintsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpreadHintsPass)
  StringRef getArgument() const final { return "tile-spread-hints"; }
  StringRef getDescription() const final { return "Use what is stated of a value wherever the statement was made before"; }
  void runOnOperation() final { spreadHints(getOperation()); }
};

} // namespace

std::unique_ptr<Pass> createSpreadHintsPass() { return std::make_unique<SpreadHintsPass>(); }

} // namespace nereid::transforms
