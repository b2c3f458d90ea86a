// Passes.h: the target-independent passes on tile IR. The pipeline and nereid-opt both take them from here.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace nereid::transforms {

std::unique_ptr<mlir::Pass> createMergeSelectPass();      // tile-merge-select
// Partial results for each row: as many as a register of the target holds.
std::unique_ptr<mlir::Pass> createPartialReductionsPass(unsigned lanes = 16); // tile-partial-reductions
std::unique_ptr<mlir::Pass> createScalarizeAdvancePass(); // tile-scalarize-advance
std::unique_ptr<mlir::Pass> createUnrollLoopsPass();      // tile-unroll-loops

// Makes every pass known to nereid-opt by its flag.
void registerPasses();

} // namespace nereid::transforms
