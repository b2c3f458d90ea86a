#include "cpu/Lower.h"

#include "codegen/LineTable.h"
#include "codegen/RunPasses.h"
#include "cpu/Lowering.h"

#include "llvm/IR/Verifier.h"

namespace nereid::cpu {

Result<void> lower(mlir::func::FuncOp kernel, const Target &target, const LowerOptions &options,
                   codegen::LlvmWork &work, Artifact &artifact) {
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
