// AheadOfTimeGpu.cpp: signature to tile IR, to code for a GPU, to a file.
#include "jit/AheadOfTime.h"
#include "jit/CudaDevice.h"
#include "jit/GpuSource.h"
#include "runtime/cuda/Assemble.h"

namespace nereid::jit {

static compiler::CodeOptions optionsOf(const SpecializedTile &specialized, const Settings &settings) {
  compiler::CodeOptions options{
      .shape = specialized.binding.options.shape, .choices = specialized.binding.choices, .remarks = settings.remarks};
  options.choices.trapsOnAssert = true; // no launcher of ours will read a report
  return options;
}

static Result<std::string> emit(SpecializedTile &specialized, const EmitRequest &request, std::string &remarks) {
  using compiler::Stage;
  compiler::CodeOptions options = optionsOf(specialized, request.settings);
  if (request.stage != Stage::Ptx && request.stage != Stage::Cubin)
    return compiler::stageText(std::move(specialized.tile), request.target, options, request.stage);
  Result<cuda::Artifact> artifact = compiler::compileGpu(std::move(specialized.tile), *request.target.gpu, options);
  if (!artifact)
    return artifact.error();
  remarks = artifact->remarks;
  if (request.stage == Stage::Ptx) // how much shared memory the launch must give is not in the text
    return "// shared memory: " + std::to_string(artifact->sharedBytes) + " bytes\n" + artifact->ptx;
  std::optional<cuda::PtxProblem> problem;
  const std::string &kernel = request.kernel->name;
  Result<cuda::Assembled> assembled = cuda::assemble(compiler::assembleRequest(kernel, *artifact), &problem);
  if (std::optional<Error> bug = bugInPtx(*artifact, problem))
    return *bug;
  if (problem)
    return renderPtxProblem(request.module, kernel, *problem);
  if (!assembled)
    return assembled.error();
  remarks += assembled->remarks;
  return std::string(reinterpret_cast<const char *>(assembled->image.data()), assembled->image.size());
}

Result<std::string> emitForGpu(const EmitRequest &request, std::string &remarks) {
  return withTile(request, [&](SpecializedTile &specialized) { return emit(specialized, request, remarks); });
}

// Machine code where there is an assembler; else the driver of the program assembles the PTX.
static Result<void> assembleInto(cuda::Artifact &artifact, KernelModule &module, const std::string &kernel,
                                 std::string &remarks) {
  std::optional<cuda::PtxProblem> problem;
  Result<cuda::Assembled> assembled = cuda::assemble(compiler::assembleRequest(kernel, artifact), &problem);
  if (std::optional<Error> bug = bugInPtx(artifact, problem))
    return *bug;
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

// With tensor maps, or without.
static Result<cuda::Artifact> compileFor(SpecializedTile &specialized, const EmitRequest &request, bool usesMaps,
                                         std::string &remarks) {
  compiler::CodeOptions options = optionsOf(specialized, request.settings);
  options.usesTensorMaps = usesMaps;
  Result<cuda::Artifact> artifact = compiler::compileGpu(std::move(specialized.tile), *request.target.gpu, options);
  if (artifact && request.stage == compiler::Stage::Source)
    if (Result<void> done = assembleInto(*artifact, request.module, request.kernel->name, remarks); !done)
      return done.error();
  return artifact;
}

Result<std::string> emitC(const EmitRequest &request, std::string &remarks) {
  std::vector<cuda::Artifact> codes;
  std::vector<lang::ArgumentSpec> specs;
  for (bool usesMaps : {true, false}) {
    Result<std::string> done = withTile(request, [&](SpecializedTile &specialized) -> Result<std::string> {
      Result<cuda::Artifact> artifact = compileFor(specialized, request, usesMaps, remarks);
      if (!artifact)
        return artifact.error();
      specs = specialized.specialization.specs;
      codes.push_back(std::move(*artifact));
      return std::string();
    });
    if (!done)
      return done;
    if (codes.back().tensorMaps.empty())
      break;
  }
  const lang::Function &kernel = *request.kernel;
  std::string file = kernel.module->source ? kernel.module->source->name() : kernel.module->name;
  GpuSourceRequest source{kernel,      specs, std::move(codes), file, request.name.empty() ? kernel.name : request.name,
                          request.grid};
  return request.stage == compiler::Stage::Header ? Result<std::string>(emitGpuHeader(source)) : emitGpuSource(source);
}

} // namespace nereid::jit
