#include "cpu/Lower.h"

#include "codegen/LineTable.h"
#include "codegen/Prepare.h"
#include "cpu/Lowering.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/Verifier.h"

namespace nereid::cpu {

// A reduction reads its strips in the nest of the row where the two stand side by side: each gets a reshape of its own.
static void separateStrips(mlir::func::FuncOp kernel) {
  kernel.walk([](tile::ReduceOp reduce) {
    auto reshape = reduce.getSources().front().getDefiningOp<tile::ReshapeOp>();
    if (reduce.getSources().size() != 1 || !reshape || (reshape->hasOneUse() && reshape->getNextNode() == reduce))
      return;
    mlir::OpBuilder builder(reduce);
    reduce->setOperand(0, builder.clone(*reshape)->getResult(0));
    if (reshape->use_empty())
      reshape.erase();
  });
}

Result<void> lower(mlir::func::FuncOp kernel, const Target &target, const LowerOptions &options,
                   codegen::LlvmWork &work, Artifact &artifact) {
  work.module = std::make_unique<llvm::Module>(kernel.getName(), *work.context);
  Lowering lowering(kernel, target, options, *work.module, artifact);
  codegen::inlineCalls(kernel);
  if (mlir::Operation *op = codegen::expandDescriptors(kernel)) {
    lowering.fail(op, "a descriptor that is chosen at run time is not supported on the CPU");
    return lowering.failure;
  }
  // What came out of the expansion stands many times: common parts once, so that equal pointers are one value.
  mlir::PassManager passes(kernel->getContext(), mlir::func::FuncOp::getOperationName());
  passes.enableVerifier(false);
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  if (mlir::failed(passes.run(kernel)))
    return Error{Status::BadInput, "error: the kernel could not be prepared for the CPU\n"};
  separateStrips(kernel);
  if (!lowering.run())
    return lowering.failure;
  // Cheap beside code generation, and a mistake of ours ends as an error instead of wrong code.
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*work.module, &stream))
    return Error{Status::Environment,
                 "error: the compiler made invalid code for `" + kernel.getName().str() + "`: " + problem + "\n"};
  return {};
}

} // namespace nereid::cpu
