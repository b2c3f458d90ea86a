#include "transforms/Passes.h"

#include "mlir/Pass/Pass.h"

namespace nereid::transforms {

void registerPasses() {
  mlir::registerPass(createMergeSelectPass);
  mlir::registerPass([] { return createPartialReductionsPass(); });
  mlir::registerPass(createScalarizeAdvancePass);
  mlir::registerPass(createSpreadHintsPass);
  mlir::registerPass(createUnrollLoopsPass);
}

} // namespace nereid::transforms
