#include "jit/AheadOfTimeGpu.h"

#include "compiler/CompileGpu.h"
#include "jit/CudaDevice.h"
#include "jit/SpecializedTile.h"
#include "runtime/cuda/Assemble.h"

namespace nereid::jit {

Result<std::string> compileForGpu(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                  std::vector<NamedHostValue> arguments, const Settings &settings,
                                  const std::string &target, GpuStage stage, std::string &remarks) {
  Result<SpecializedTile> specialized = compileTile(module, kernel, std::move(arguments), settings);
  if (!specialized)
    return specialized.error();
  compiler::TileModule &tile = specialized->tile;
  const lang::EmitOptions &given = specialized->binding.options;
  compiler::GpuOptions options{.target = target,
                               .numWarps = given.numWarps,
                               .numStages = given.numStages,
                               .numCtas = given.numCtas,
                               .choices = specialized->binding.choices,
                               .remarks = settings.remarks};
  options.choices.trapsOnAssert = true; // no launcher of ours will read a report
  if (stage == GpuStage::Gpu)
    return compiler::compileGpuText(tile, options, compiler::GpuStage::Gpu);
  if (stage == GpuStage::Triton)
    return compiler::compileGpuText(tile, options, compiler::GpuStage::Triton);
  if (stage == GpuStage::Llvm)
    return compiler::compileGpuText(tile, options, compiler::GpuStage::Llvm);
  Result<cuda::Artifact> artifact = compiler::compileGpu(tile, options);
  if (!artifact)
    return artifact.error();
  remarks = artifact->remarks;
  if (stage == GpuStage::Ptx) // how much shared memory the launch must give is not in the text
    return "// shared memory: " + std::to_string(artifact->sharedBytes) + " bytes\n" + artifact->ptx;
  std::optional<cuda::PtxProblem> problem;
  Result<cuda::Assembled> assembled = cuda::assemble({kernel->name, artifact->ptx, target}, &problem);
  if (problem)
    return renderPtxProblem(module, kernel->name, *problem);
  if (!assembled)
    return assembled.error();
  remarks += assembled->remarks;
  return std::string(reinterpret_cast<const char *>(assembled->image.data()), assembled->image.size());
}

} // namespace nereid::jit
