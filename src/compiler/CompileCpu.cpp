#include "compiler/CompileCpu.h"

#include "codegen/LlvmWork.h"
#include "compiler/TritonText.h"
#include "cpu/Lower.h"
#include "cpu/Object.h"
#include "transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace nereid::compiler {

static Error unprepared() { return {Status::Environment, "error: the kernel could not be prepared for the CPU\n"}; }

// What pays on a CPU and would change the reference.
static bool runCpuPipeline(const TileModule &tile, const cpu::Target &target) {
  mlir::ModuleOp module = *tile.module;
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addNestedPass<mlir::func::FuncOp>(transforms::createPartialReductionsPass(target.lanes(32)));
  return mlir::succeeded(passes.run(module));
}

// Into the module of `work`.
static Result<void> lower(const TileModule &tile, const cpu::Target &target, const CpuOptions &options,
                          codegen::LlvmWork &work, cpu::Artifact &artifact) {
  if (!runCpuPipeline(tile, target))
    return unprepared();
  cpu::LowerOptions lowering{.mayOverlap = options.mayOverlap, .debugInfo = options.debugInfo};
  return cpu::lower(tile.kernel(), target, lowering, work, artifact);
}

Result<cpu::Artifact> compileCpu(const TileModule &tile, const cpu::Target &target, const CpuOptions &options) {
  cpu::Artifact artifact;
  codegen::LlvmWork work;
  if (Result<void> lowered = lower(tile, target, options, work, artifact); !lowered)
    return lowered.error();
  cpu::optimize(*work.module, target);
  artifact.usesTileRegisters = cpu::usesTileRegisters(*work.module);
  Result<std::vector<std::byte>> object = cpu::emitObject(*work.module, target);
  if (!object)
    return object.error();
  artifact.object = std::move(*object);
  return artifact;
}

Result<std::string> compileCpuText(const TileModule &tile, const cpu::Target &target, const CpuOptions &options,
                                   CpuStage stage) {
  if (stage == CpuStage::Tile)
    return runCpuPipeline(tile, target) ? Result<std::string>(tritonText(tile)) : unprepared();
  cpu::Artifact artifact;
  codegen::LlvmWork work;
  if (Result<void> lowered = lower(tile, target, options, work, artifact); !lowered)
    return lowered.error();
  cpu::optimize(*work.module, target);
  if (stage == CpuStage::Assembly)
    return cpu::emitAssembly(*work.module, target);
  std::string text;
  llvm::raw_string_ostream stream(text);
  work.module->print(stream, nullptr);
  return text;
}

} // namespace nereid::compiler
