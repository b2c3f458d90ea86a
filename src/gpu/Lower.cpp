#include "gpu/Lower.h"

#include "codegen/RunPasses.h"
#include "gpu/lower/Lowering.h"
#include "layout/Space.h"

#include "llvm/IR/Verifier.h"

using namespace mlir;

namespace nereid::gpu {

static bool hasTooManyAxes(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getRank() > int64_t(layout::kMaxAxes);
}

Result<void> check(func::FuncOp kernel, const Options &options) {
  if (!options.target.isSupported)
    return Error{Status::BadInput, "error: code is generated for GPUs of NVIDIA from sm_70 to sm_121, not for `" +
                                       options.target.name + "`\n"};
  if (!llvm::isPowerOf2_32(options.numWarps) || options.numWarps > 32)
    return Error{Status::BadInput, "error: a program has 1, 2, 4, 8, 16 or 32 warps on a GPU, not " +
                                       std::to_string(options.numWarps) + " (" + std::to_string(options.numWarps * 32) +
                                       " threads, of which there are at most 1024)\nnote: change `num_warps`\n"};
  bool isTooDeep = false;
  kernel.walk([&](Operation *op) { isTooDeep |= llvm::any_of(op->getResultTypes(), hasTooManyAxes); });
  if (isTooDeep)
    return Error{Status::BadInput, "error: `" + kernel.getName().str() + "` has a tile of more than " +
                                       std::to_string(layout::kMaxAxes) + " axes, which is too many for a GPU\n"};
  return {};
}

Result<void> lower(func::FuncOp kernel, const Options &options, codegen::LlvmWork &work, cuda::Artifact &artifact) {
  work.module = std::make_unique<llvm::Module>(kernel.getName(), *work.context);
  llvm::Module &module = *work.module;
  artifact.hasForeignCode = !options.choices.libraries.empty();
  Lowering lowering(kernel, options, module, artifact);
  if (!lowering.run())
    return lowering.failure;
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    return codegen::bugIn(kernel.getName(), problem);
  return {};
}

} // namespace nereid::gpu
