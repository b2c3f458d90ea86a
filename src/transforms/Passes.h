// Passes.h: the target-independent passes on tile IR. The pipeline, the back ends and nereid-opt take them from
// here.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace mlir {
class Operation;
class Pass;
} // namespace mlir

namespace nereid::transforms {

std::unique_ptr<mlir::Pass> createCarryDescriptorsPass(); // tile-carry-descriptors
// How a block's indices are written: as tiles of 64-bit numbers, which loops over elements see through, or with as much
// as possible in scalars that all threads share.
enum class DescriptorForm { Loops, Threads };
// Blocks with the attribute `keep` stay as they are.
std::unique_ptr<mlir::Pass> createExpandDescriptorsPass(DescriptorForm form = DescriptorForm::Loops,
                                                        const std::string &keep = ""); // tile-expand-descriptors
// Products that `keeps` is true of stay as they are.
std::unique_ptr<mlir::Pass>
createExpandSparsePass(std::function<bool(mlir::Operation *)> keeps = {}); // tile-expand-sparse
std::unique_ptr<mlir::Pass> createFoldRangesPass();                        // tile-fold-ranges
std::unique_ptr<mlir::Pass> createInlineCallsPass();                       // tile-inline-calls
std::unique_ptr<mlir::Pass> createJoinLoadsPass();                         // tile-join-loads
std::unique_ptr<mlir::Pass> createMergeSelectPass();                       // tile-merge-select
// Of a row as many results are left in each iteration as a register of the target has lanes.
std::unique_ptr<mlir::Pass> createPartialReductionsPass(unsigned lanes = 16); // tile-partial-reductions
std::unique_ptr<mlir::Pass> createRaiseLoopsPass();                           // tile-raise-loops
std::unique_ptr<mlir::Pass> createScalarizeAdvancePass();                     // tile-scalarize-advance
std::unique_ptr<mlir::Pass> createScaleLargestPass();                         // tile-scale-largest
std::unique_ptr<mlir::Pass> createSpreadHintsPass();                          // tile-spread-hints
std::unique_ptr<mlir::Pass> createSplitExtentsPass();                         // tile-split-extents
std::unique_ptr<mlir::Pass> createSplitSignsPass();                           // tile-split-signs
std::unique_ptr<mlir::Pass> createStateClaimsPass();                          // tile-state-claims
std::unique_ptr<mlir::Pass> createUnrollLoopsPass();                          // tile-unroll-loops

// Makes every pass known to nereid-opt by its flag.
void registerPasses();

} // namespace nereid::transforms
