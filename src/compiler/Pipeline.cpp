// Pipeline.cpp: the whole compiler, in order.
#include "compiler/Pipeline.h"

#include "transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace nereid::compiler {

bool runTilePipeline(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false); // the result is verified once, at the end
  // Before statements whose results nobody uses are dead code.
  passes.addNestedPass<mlir::func::FuncOp>(transforms::createSpreadHintsPass());
  // Constants that the emitter could not see (through branches and loops), invariant loop arguments, dead code.
  passes.addNestedPass<mlir::func::FuncOp>(mlir::createCanonicalizerPass());
  // Pointers and indices that a loop only moves on become one scalar; arguments that never change are gone by now.
  passes.addNestedPass<mlir::func::FuncOp>(transforms::createScalarizeAdvancePass());
  // The same pointer and mask arithmetic written in several places.
  passes.addNestedPass<mlir::func::FuncOp>(mlir::createCSEPass());
  // `where(mask, load(…, mask), other)`: the mask of both is one value only after the common-subexpression pass.
  passes.addNestedPass<mlir::func::FuncOp>(transforms::createMergeSelectPass());
  // Before code moves out of loops: the iterations that were put together share it.
  passes.addNestedPass<mlir::func::FuncOp>(transforms::createUnrollLoopsPass());
  // Arithmetic that does not depend on the loop it stands in.
  passes.addNestedPass<mlir::func::FuncOp>(mlir::createLoopInvariantCodeMotionPass());
  return mlir::succeeded(passes.run(module));
}

} // namespace nereid::compiler
