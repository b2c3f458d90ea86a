// Passes.h: the target-independent passes on tile IR. The pipeline and nereid-opt both take them from here.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace nereid::transforms {

std::unique_ptr<mlir::Pass> createMergeSelectPass(); // tile-merge-select
// What a row leaves in each iteration of a loop that folds it: as many results as a register of the target has lanes, or one
// for each so many bytes that lie side by side in a thread.
struct Partials {
  unsigned lanes = 16, bytes = 0;
};
std::unique_ptr<mlir::Pass> createPartialReductionsPass(Partials partials = {}); // tile-partial-reductions
std::unique_ptr<mlir::Pass> createScalarizeAdvancePass();                        // tile-scalarize-advance
std::unique_ptr<mlir::Pass> createSpreadHintsPass();                             // tile-spread-hints
std::unique_ptr<mlir::Pass> createUnrollLoopsPass();                             // tile-unroll-loops

// Makes every pass known to nereid-opt by its flag.
void registerPasses();

} // namespace nereid::transforms
