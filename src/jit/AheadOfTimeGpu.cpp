#include "jit/AheadOfTimeGpu.h"

#include "compiler/CompileGpu.h"
#include "jit/CudaDevice.h"
#include "jit/Specialize.h"
#include "runtime/cuda/Assemble.h"

namespace nereid::jit {

Result<std::string> compileForGpu(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                  std::vector<NamedHostValue> arguments, const Settings &settings,
                                  const std::string &target, GpuStage stage, std::string &remarks) {
  Result<Binding> binding = bind(module, kernel, std::move(arguments), settings);
  if (!binding)
    return binding.error();
  Result<Specialization> specialization = specialize(*binding);
  if (!specialization)
    return specialization.error();
  compiler::TileModule tile = module.compiler.compile(*binding->kernel, specialization->specs, binding->options);
  if (!tile.module)
    return module.takeError();
  const lang::EmitOptions &given = binding->options;
  compiler::GpuOptions options{
      .target = target, .numWarps = given.numWarps, .numStages = given.numStages, .numCtas = given.numCtas};
  if (stage == GpuStage::Gpu)
    return compiler::compileGpuText(tile, options, compiler::GpuStage::Gpu);
  if (stage == GpuStage::Llvm)
    return compiler::compileGpuText(tile, options, compiler::GpuStage::Llvm);
  Result<cuda::Artifact> artifact = compiler::compileGpu(tile, options);
  if (!artifact)
    return artifact.error();
  if (stage == GpuStage::Ptx)
    return artifact->ptx;
  std::optional<cuda::PtxProblem> problem;
  Result<cuda::Assembled> assembled = cuda::assemble({kernel->name, artifact->ptx, target}, &problem);
  if (problem)
    return renderPtxProblem(module, kernel->name, *problem);
  if (!assembled)
    return assembled.error();
  remarks = assembled->remarks;
  return std::string(reinterpret_cast<const char *>(assembled->image.data()), assembled->image.size());
}

} // namespace nereid::jit
