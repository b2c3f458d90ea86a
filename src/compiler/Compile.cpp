#include "compiler/Compile.h"

#include "codegen/LlvmWork.h"
#include "compiler/GpuOptions.h"
#include "compiler/Pipeline.h"
#include "compiler/TritonText.h"
#include "cpu/Object.h"
#include "gpu/nvidia/Ptx.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace nereid::compiler {

static constexpr StageRow kStages[] = {
    {"ast", Stage::Ast, false, false},     {"tile", Stage::Tile, false, false},    {"gpu", Stage::Planned, false, true},
    {"ttgir", Stage::Triton, false, true}, {"llvm", Stage::Llvm, true, true},      {"ptx", Stage::Ptx, false, true},
    {"cubin", Stage::Cubin, false, true},  {"asm", Stage::Assembly, true, false},  {"obj", Stage::Object, true, false},
    {"header", Stage::Header, true, true}, {"source", Stage::Source, false, true},
};

std::span<const StageRow> stages() { return kStages; }

const StageRow *findStage(std::string_view name) {
  for (const StageRow &row : kStages)
    if (row.name == name)
      return &row;
  return nullptr;
}

static std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

static cpu::LowerOptions cpuOptions(const CodeOptions &options) {
  return {.mayOverlap = options.mayOverlap, .debugInfo = options.debugInfo};
}

gpu::Options gpuOptions(const gpu::Target &target, const CodeOptions &options) {
  gpu::Options result;
  result.target = target;
  result.numWarps = unsigned(options.shape.numWarps);
  result.numStages = unsigned(options.shape.numStages);
  result.numCtas = unsigned(options.shape.numCtas);
  result.choices = options.choices;
  result.usesTensorMaps = options.usesTensorMaps;
  return result;
}

Result<cpu::Artifact> compileCpu(TileModule tile, const cpu::Target &target, const CodeOptions &options) {
  cpu::Artifact artifact;
  codegen::LlvmWork work;
  if (Result<void> lowered = lowerForCpu(tile, target, cpuOptions(options), work, artifact); !lowered)
    return lowered.error();
  artifact.usesTileRegisters = cpu::usesTileRegisters(*work.module);
  Result<std::vector<std::byte>> object = cpu::emitObject(*work.module, target);
  if (!object)
    return object.error();
  artifact.object = std::move(*object);
  return artifact;
}

cuda::AssembleRequest assembleRequest(const std::string &kernel, const cuda::Artifact &artifact) {
  unsigned blocks = gpu::targetOf(artifact.target).mostBlocks(artifact.threads, artifact.sharedBytes);
  return {.kernel = kernel, .ptx = artifact.ptx, .target = artifact.target, .mostBlocks = blocks};
}

Result<cuda::Artifact> compileGpu(TileModule tile, const gpu::Target &target, const CodeOptions &options,
                                  gpu::CodeFacts *facts) {
  gpu::Options planned = gpuOptions(target, options);
  cuda::Artifact artifact;
  std::string remarks;
  if (options.remarks)
    planned.remarks = &remarks;
  codegen::LlvmWork work;
  Result<TileModule> lowered = lowerForGpu(std::move(tile), planned, work, artifact);
  if (!lowered)
    return lowered.error();
  if (facts)
    *facts = gpu::factsOf(lowered->kernel(), planned);
  Result<std::string> ptx = gpu::emitPtx(*work.module, planned);
  if (!ptx)
    return ptx.error();
  artifact.remarks = std::move(remarks);
  artifact.ptx = std::move(*ptx);
  return artifact;
}

static Result<std::string> cpuText(TileModule tile, const cpu::Target &target, const CodeOptions &options,
                                   Stage stage) {
  if (stage == Stage::Triton || stage == Stage::Planned) {
    Result<void> planned = planForCpu(tile.kernel(), target);
    return planned ? Result<std::string>(tritonText(tile)) : planned.error();
  }
  cpu::Artifact artifact;
  codegen::LlvmWork work;
  if (Result<void> lowered = lowerForCpu(tile, target, cpuOptions(options), work, artifact); !lowered)
    return lowered.error();
  return stage == Stage::Assembly ? cpu::emitAssembly(*work.module, target) : textOf(*work.module);
}

// In Triton's words, with what it is planned for; the kernel was asked to have so many warps.
static std::string describe(const TileModule &tile, const gpu::Options &options, int numWarps) {
  mlir::OpBuilder builder(tile.kernel());
  mlir::ModuleOp module = *tile.module;
  module->setAttr("ttg.target", builder.getStringAttr("cuda:" + std::to_string(options.target.capability)));
  module->setAttr("ttg.num-ctas", builder.getI32IntegerAttr(int32_t(options.numCtas)));
  module->setAttr("ttg.num-warps", builder.getI32IntegerAttr(int32_t(options.numWarps)));
  module->setAttr("ttg.threads-per-warp", builder.getI32IntegerAttr(int32_t(options.target.warpSize)));
  return tritonText(tile, numWarps);
}

static Result<std::string> gpuText(TileModule tile, const gpu::Target &target, const CodeOptions &options,
                                   Stage stage) {
  gpu::Options planned = gpuOptions(target, options);
  cuda::Artifact artifact;
  codegen::LlvmWork work;
  Result<TileModule> lowered = lowerForGpu(std::move(tile), planned, work, artifact);
  if (!lowered)
    return lowered.error();
  if (stage == Stage::Triton)
    return describe(*lowered, planned, options.shape.numWarps);
  if (stage == Stage::Planned)
    return lowered->text();
  return stage == Stage::Ptx ? gpu::emitPtx(*work.module, planned) : textOf(*work.module);
}

Result<std::string> stageText(TileModule tile, const Target &target, const CodeOptions &options, Stage stage) {
  if (target.cpu)
    return cpuText(std::move(tile), *target.cpu, options, stage);
  if (target.gpu)
    return gpuText(std::move(tile), *target.gpu, options, stage);
  return Error{Status::BadInput, "error: no code is made for `" + target.name + "`\n"};
}

} // namespace nereid::compiler
