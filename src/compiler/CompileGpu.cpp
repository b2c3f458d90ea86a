#include "compiler/CompileGpu.h"

#include "codegen/LlvmWork.h"
#include "compiler/TritonText.h"
#include "dialect/Tile.h"
#include "gpu/Compile.h"
#include "gpu/nvidia/Ptx.h"
#include "gpu/pipeline/PipelineLoops.h"
#include "gpu/products/ChooseWarps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace nereid::compiler {

static gpu::Options optionsOf(const TileModule &tile, const GpuOptions &options) {
  gpu::Options result;
  result.target = options.target;
  result.numWarps = unsigned(options.shape.numWarps);
  result.numStages = unsigned(options.shape.numStages);
  result.numCtas = unsigned(options.shape.numCtas);
  result.debugInfo = options.debugInfo;
  result.choices = options.choices;
  result.usesTensorMaps = options.usesTensorMaps;
  result.numWarps = gpu::chooseWarps(tile.kernel(), result);
  return result;
}

// A kernel after planning and lowering.
struct Lowered {
  TileModule again; // what was planned, where that is not the given module: its plan took too much memory
  cuda::Artifact artifact;

  const TileModule &plan(const TileModule &given) const { return again.module ? again : given; }
};

// Planned and lowered. Where that takes more shared memory than there is: again with fewer stages, and at last with
// operands of products in it only as long as their product needs them.
static Result<Lowered> planAndLower(const TileModule &tile, gpu::Options &options, codegen::LlvmWork &work) {
  Lowered lowered;
  mlir::func::FuncOp kernel = tile.kernel();
  bool hasProduct = false;
  kernel.walk([&](tile::DotOp) { hasProduct = true; });
  for (;;) {
    bool mayTryAgain = hasProduct && !options.stagesLate;
    TileModule spare;
    if (mayTryAgain)
      spare.module = kernel->getParentOfType<mlir::ModuleOp>().clone();
    if (Result<void> done = gpu::plan(kernel, options); !done)
      return done.error();
    if (Result<void> done = gpu::lower(kernel, options, work, lowered.artifact); !done)
      return done.error();
    if (!mayTryAgain || lowered.artifact.sharedBytes <= options.target.sharedBytes)
      return lowered;
    lowered = {.again = std::move(spare), .artifact = {}};
    kernel = lowered.again.kernel();
    if (options.numStages > 1)
      --options.numStages, ++options.stagesCut;
    else
      options.stagesLate = true;
  }
}

Result<cuda::Artifact> compileGpu(const TileModule &tile, const GpuOptions &options) {
  gpu::Options planned = optionsOf(tile, options);
  std::string remarks;
  if (options.remarks)
    planned.remarks = &remarks;
  codegen::LlvmWork work;
  work.context->setDiscardValueNames(true); // they cost more than the passes that would use them
  Result<Lowered> lowered = planAndLower(tile, planned, work);
  if (!lowered)
    return lowered.error();
  Result<std::string> ptx = gpu::emitPtx(*work.module, planned);
  if (!ptx)
    return ptx.error();
  cuda::Artifact artifact = std::move(lowered->artifact);
  artifact.remarks = std::move(remarks);
  artifact.ptx = std::move(*ptx);
  return artifact;
}

// In Triton's words, with what it is planned for.
static std::string describe(const TileModule &tile, const gpu::Options &options, int numWarps) {
  mlir::OpBuilder builder(tile.kernel());
  mlir::ModuleOp module = *tile.module;
  module->setAttr("ttg.target", builder.getStringAttr("cuda:" + std::to_string(options.target.capability)));
  module->setAttr("ttg.num-ctas", builder.getI32IntegerAttr(int32_t(options.numCtas)));
  module->setAttr("ttg.num-warps", builder.getI32IntegerAttr(int32_t(options.numWarps)));
  module->setAttr("ttg.threads-per-warp", builder.getI32IntegerAttr(32));
  return tritonText(tile, numWarps);
}

Result<std::string> compileGpuText(const TileModule &tile, const GpuOptions &options, GpuStage stage) {
  gpu::Options planned = optionsOf(tile, options);
  codegen::LlvmWork work;
  work.context->setDiscardValueNames(true); // they cost more than the passes that would use them
  Result<Lowered> lowered = planAndLower(tile, planned, work);
  if (!lowered)
    return lowered.error();
  const TileModule &plan = lowered->plan(tile);
  if (stage == GpuStage::Triton)
    return describe(plan, planned, options.shape.numWarps);
  if (stage == GpuStage::Gpu)
    return plan.text();
  if (stage == GpuStage::Ptx)
    return gpu::emitPtx(*work.module, planned);
  std::string text;
  llvm::raw_string_ostream stream(text);
  work.module->print(stream, nullptr);
  return text;
}

} // namespace nereid::compiler
