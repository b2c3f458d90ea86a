#include "cpu/Lower.h"

#include "codegen/LineTable.h"
#include "codegen/RunPasses.h"
#include "cpu/Lowering.h"
#include "cpu/Passes.h"
#include "transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/Verifier.h"

namespace nereid::cpu {

// What lowering does not know becomes what it knows.
static Result<void> prepare(mlir::func::FuncOp kernel) {
  mlir::PassManager passes(kernel->getContext());
  passes.addPass(transforms::createInlineCallsPass());
  mlir::OpPassManager &onKernel = passes.nest<mlir::func::FuncOp>();
  onKernel.addPass(transforms::createCarryDescriptorsPass());
  onKernel.addPass(transforms::createExpandDescriptorsPass());
  // What came out of the expansion stands many times: common parts once, so that equal pointers are one value.
  onKernel.addPass(mlir::createCanonicalizerPass());
  onKernel.addPass(mlir::createCSEPass());
  // Behind the pass that makes one of equal reshapes.
  onKernel.addPass(createSeparateStripsPass());
  return codegen::runPasses(passes, kernel);
}

Result<void> lower(mlir::func::FuncOp kernel, const Target &target, const LowerOptions &options,
                   codegen::LlvmWork &work, Artifact &artifact) {
  if (Result<void> prepared = prepare(kernel); !prepared)
    return prepared;
  work.module = std::make_unique<llvm::Module>(kernel.getName(), *work.context);
  Lowering lowering(kernel, target, options, *work.module, artifact);
  if (!lowering.run())
    return lowering.failure;
  // Cheap beside code generation, and a mistake of ours ends as an error instead of wrong code.
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*work.module, &stream))
    return codegen::bugIn(kernel.getName(), problem);
  return {};
}

} // namespace nereid::cpu
