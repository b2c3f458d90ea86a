#include "transforms/Passes.h"

#include "mlir/Pass/Pass.h"

namespace nereid::transforms {

void registerPasses() {
  mlir::registerPass(createCarryDescriptorsPass);
  mlir::registerPass([] { return createExpandDescriptorsPass(); });
  mlir::registerPass([] { return createExpandSparsePass(); });
  mlir::registerPass(createFoldRangesPass);
  mlir::registerPass(createInlineCallsPass);
  mlir::registerPass(createJoinLoadsPass);
  mlir::registerPass(createMergeSelectPass);
  mlir::registerPass([] { return createPartialReductionsPass(); });
  mlir::registerPass(createRaiseLoopsPass);
  mlir::registerPass(createScalarizeAdvancePass);
  mlir::registerPass(createScaleLargestPass);
  mlir::registerPass(createSplitExtentsPass);
  mlir::registerPass(createSplitSignsPass);
  mlir::registerPass(createSpreadHintsPass);
  mlir::registerPass(createStateClaimsPass);
  mlir::registerPass(createUnrollLoopsPass);
}

} // namespace nereid::transforms
