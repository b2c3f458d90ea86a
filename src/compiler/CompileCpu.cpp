#include "compiler/CompileCpu.h"

#include "cpu/Lower.h"
#include "cpu/Object.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace nereid::compiler {

Result<cpu::Artifact> compileCpu(const TileModule &tile, const cpu::Target &target, const CpuOptions &options) {
  cpu::Artifact artifact;
  llvm::LLVMContext context;
  Result<std::unique_ptr<llvm::Module>> module = cpu::lower(
      tile.kernel(), target, {.mayOverlap = options.mayOverlap, .debugInfo = options.debugInfo}, context, artifact);
  if (!module)
    return module.error();
  cpu::optimize(**module, target);
  artifact.usesTileRegisters = cpu::usesTileRegisters(**module);
  Result<std::vector<std::byte>> object = cpu::emitObject(**module, target);
  if (!object)
    return object.error();
  artifact.object = std::move(*object);
  return artifact;
}

Result<std::string> compileCpuText(const TileModule &tile, const cpu::Target &target, const CpuOptions &options, CpuStage stage) {
  cpu::Artifact artifact;
  llvm::LLVMContext context;
  Result<std::unique_ptr<llvm::Module>> module = cpu::lower(
      tile.kernel(), target, {.mayOverlap = options.mayOverlap, .debugInfo = options.debugInfo}, context, artifact);
  if (!module)
    return module.error();
  if (stage != CpuStage::Unoptimized)
    cpu::optimize(**module, target);
  if (stage == CpuStage::Assembly)
    return cpu::emitAssembly(**module, target);
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, nullptr);
  return text;
}

} // namespace nereid::compiler
