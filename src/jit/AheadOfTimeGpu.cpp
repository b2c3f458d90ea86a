#include "jit/AheadOfTimeGpu.h"

#include "compiler/CompileGpu.h"
#include "jit/CudaDevice.h"
#include "jit/GpuSource.h"
#include "jit/SpecializedTile.h"
#include "runtime/cuda/Assemble.h"

namespace nereid::jit {

static compiler::GpuOptions optionsOf(const SpecializedTile &specialized, const Settings &settings,
                                      const gpu::Target &target) {
  const lang::EmitOptions &given = specialized.binding.options;
  compiler::GpuOptions options{
      .target = target, .shape = given.shape, .choices = specialized.binding.choices, .remarks = settings.remarks};
  options.choices.trapsOnAssert = true; // no launcher of ours will read a report
  return options;
}

Result<std::string> compileForGpu(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                  std::vector<NamedHostValue> arguments, const Settings &settings,
                                  const gpu::Target &target, GpuStage stage, std::string &remarks) {
  Result<SpecializedTile> specialized = compileTile(module, kernel, std::move(arguments), settings);
  if (!specialized)
    return specialized.error();
  compiler::TileModule &tile = specialized->tile;
  compiler::GpuOptions options = optionsOf(*specialized, settings, target);
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
  Result<cuda::Assembled> assembled = cuda::assemble({kernel->name, artifact->ptx, target.name}, &problem);
  if (problem)
    return renderPtxProblem(module, kernel->name, *problem);
  if (!assembled)
    return assembled.error();
  remarks += assembled->remarks;
  return std::string(reinterpret_cast<const char *>(assembled->image.data()), assembled->image.size());
}

// Machine code where there is an assembler; else the driver of the program assembles the PTX.
static Result<void> assembleInto(cuda::Artifact &artifact, KernelModule &module, const std::string &kernel,
                                 std::string &remarks) {
  std::optional<cuda::PtxProblem> problem;
  Result<cuda::Assembled> assembled = cuda::assemble({kernel, artifact.ptx, artifact.target}, &problem);
  if (problem)
    return renderPtxProblem(module, kernel, *problem);
  if (!assembled && assembled.error().status != Status::Environment)
    return assembled.error();
  if (!assembled) {
    remarks +=
        "note: there is no `ptxas`: the source holds PTX, which the driver assembles when the kernel is loaded\n";
    return {};
  }
  artifact.image = std::move(assembled->image);
  remarks += assembled->remarks;
  return {};
}

Result<std::string> compileToC(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                               const std::vector<NamedHostValue> &arguments, const Settings &settings,
                               const GpuCOptions &options, std::string &remarks) {
  std::vector<cuda::Artifact> codes;
  std::vector<lang::ArgumentSpec> specs;
  for (bool usesMaps : {true, false}) {
    Result<SpecializedTile> specialized = compileTile(module, kernel, arguments, settings);
    if (!specialized)
      return specialized.error();
    compiler::GpuOptions lowering = optionsOf(*specialized, settings, options.target);
    lowering.usesTensorMaps = usesMaps;
    Result<cuda::Artifact> artifact = compiler::compileGpu(specialized->tile, lowering);
    if (!artifact)
      return artifact.error();
    if (!options.isHeader)
      if (Result<void> done = assembleInto(*artifact, module, kernel->name, remarks); !done)
        return done.error();
    specs = std::move(specialized->specialization.specs);
    codes.push_back(std::move(*artifact));
    if (codes.back().tensorMaps.empty())
      break;
  }
  std::string file = kernel->module->source ? kernel->module->source->name() : kernel->module->name;
  GpuSourceRequest request{
      *kernel, specs, std::move(codes), file, options.name.empty() ? kernel->name : options.name, options.grid};
  return options.isHeader ? Result<std::string>(emitGpuHeader(request)) : emitGpuSource(request);
}

} // namespace nereid::jit
