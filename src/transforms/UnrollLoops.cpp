// UnrollLoops.cpp: a loop that asks for it (`tl.range(…, loop_unroll_factor=4)`) has several turns in one; what is left
// over runs in a loop behind it.
#include "transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

constexpr const char *kFactor = "tile.loop_unroll_factor";

void unrollLoops(Operation *function) {
  llvm::SmallVector<scf::ForOp> loops; // inner ones first: an outer loop copies what its inner ones have become
  function->walk([&](scf::ForOp loop) {
    if (loop->hasAttrOfType<IntegerAttr>(kFactor))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    int64_t factor = loop->getAttrOfType<IntegerAttr>(kFactor).getInt();
    loop->removeAttr(kFactor);
    if (factor > 1 && !loop.getUnsignedCmp())
      (void)loopUnrollByFactor(loop, uint64_t(factor)); // one that cannot be unrolled stays as it is
  }
}

struct UnrollLoopsPass : PassWrapper<UnrollLoopsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnrollLoopsPass)
  StringRef getArgument() const final { return "tile-unroll-loops"; }
  StringRef getDescription() const final { return "Put several turns of a loop that asks for it into one"; }
  void runOnOperation() final { unrollLoops(getOperation()); }
};

} // namespace

std::unique_ptr<Pass> createUnrollLoopsPass() { return std::make_unique<UnrollLoopsPass>(); }

} // namespace nereid::transforms
