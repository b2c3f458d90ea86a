#include "compiler/CompileGpu.h"

#include "codegen/LlvmWork.h"
#include "compiler/TritonText.h"
#include "dialect/Tile.h"
#include "gpu/ChooseWarps.h"
#include "gpu/Compile.h"
#include "gpu/PipelineLoops.h"
#include "gpu/nvidia/Ptx.h"
#include "transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace nereid::compiler {

static gpu::Options optionsOf(const TileModule &tile, const GpuOptions &options) {
  gpu::Options result;
  result.target = options.target;
  result.numWarps = unsigned(options.numWarps);
  result.numStages = unsigned(options.numStages);
  result.numCtas = unsigned(options.numCtas);
  result.debugInfo = options.debugInfo;
  result.choices = options.choices;
  result.usesTensorMaps = options.usesTensorMaps;
  result.numWarps = gpu::chooseWarps(tile.kernel(), result);
  return result;
}

// What pays on a GPU and would change the reference: a thread loads 16 bytes of a row at once.
static void runGpuPipeline(const TileModule &tile) {
  mlir::ModuleOp module = *tile.module;
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addNestedPass<mlir::func::FuncOp>(transforms::createPartialReductionsPass({.bytes = 16}));
  (void)passes.run(module); // the pass does not fail
}

// Planned and lowered. Where that takes more shared memory than there is: again with fewer stages, and at last with
// operands of products in it only as long as their product needs them.
static Result<void> planAndLower(const TileModule &tile, gpu::Options &options, codegen::LlvmWork &work,
                                 cuda::Artifact &artifact) {
  runGpuPipeline(tile);
  mlir::func::FuncOp kernel = tile.kernel();
  bool hasProduct = false;
  kernel.walk([&](tile::DotOp) { hasProduct = true; });
  mlir::OwningOpRef<mlir::ModuleOp> current, spare;
  for (;;) {
    bool mayTryAgain = hasProduct && !options.stagesLate;
    if (mayTryAgain)
      spare = kernel->getParentOfType<mlir::ModuleOp>().clone();
    if (Result<void> done = gpu::plan(kernel, options); !done)
      return done.error();
    Result<void> lowered = gpu::lower(kernel, options, work, artifact);
    if (!lowered || !mayTryAgain || artifact.sharedBytes <= gpu::sharedMemoryLimit(options))
      return lowered;
    std::string name = kernel.getName().str();
    current = std::move(spare);
    kernel = current->lookupSymbol<mlir::func::FuncOp>(name);
    artifact = {};
    if (options.numStages > 1)
      --options.numStages, ++options.stagesCut;
    else
      options.stagesLate = true;
  }
}

Result<cuda::Artifact> compileGpu(const TileModule &tile, const GpuOptions &options) {
  gpu::Options planned = optionsOf(tile, options);
  cuda::Artifact artifact;
  std::string remarks;
  if (options.remarks)
    planned.remarks = &remarks;
  codegen::LlvmWork work;
  work.context->setDiscardValueNames(true); // they cost more than the passes that would use them
  if (Result<void> lowered = planAndLower(tile, planned, work, artifact); !lowered)
    return lowered.error();
  Result<std::string> ptx = gpu::emitPtx(*work.module, planned);
  if (!ptx)
    return ptx.error();
  artifact.remarks = std::move(remarks);
  artifact.ptx = std::move(*ptx);
  return artifact;
}

// In Triton's words, with what it is planned for.
static std::string describe(const TileModule &tile, const gpu::Options &options, int numWarps) {
  mlir::OpBuilder builder(tile.kernel());
  mlir::ModuleOp module = *tile.module;
  module->setAttr("ttg.target", builder.getStringAttr("cuda:" + std::to_string(options.capability())));
  module->setAttr("ttg.num-ctas", builder.getI32IntegerAttr(int32_t(options.numCtas)));
  module->setAttr("ttg.num-warps", builder.getI32IntegerAttr(int32_t(options.numWarps)));
  module->setAttr("ttg.threads-per-warp", builder.getI32IntegerAttr(32));
  return tritonText(tile, numWarps);
}

Result<std::string> compileGpuText(const TileModule &tile, const GpuOptions &options, GpuStage stage) {
  gpu::Options planned = optionsOf(tile, options);
  if (stage == GpuStage::Gpu || stage == GpuStage::Triton) {
    runGpuPipeline(tile);
    if (Result<void> done = gpu::plan(tile.kernel(), planned); !done)
      return done.error();
    return stage == GpuStage::Triton ? describe(tile, planned, options.numWarps) : tile.text();
  }
  cuda::Artifact artifact;
  codegen::LlvmWork work;
  work.context->setDiscardValueNames(true); // they cost more than the passes that would use them
  if (Result<void> lowered = planAndLower(tile, planned, work, artifact); !lowered)
    return lowered.error();
  if (stage == GpuStage::Ptx)
    return gpu::emitPtx(*work.module, planned);
  std::string text;
  llvm::raw_string_ostream stream(text);
  work.module->print(stream, nullptr);
  return text;
}

} // namespace nereid::compiler
