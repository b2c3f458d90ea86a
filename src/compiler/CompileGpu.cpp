#include "compiler/CompileGpu.h"

#include "gpu/Compile.h"
#include "gpu/nvidia/Ptx.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace nereid::compiler {

static gpu::Options optionsOf(const GpuOptions &options) {
  gpu::Options result;
  result.target = options.target;
  result.numWarps = unsigned(options.numWarps);
  result.numStages = unsigned(options.numStages);
  result.numCtas = unsigned(options.numCtas);
  result.debugInfo = options.debugInfo;
  return result;
}

Result<cuda::Artifact> compileGpu(const TileModule &tile, const GpuOptions &options) {
  gpu::Options planned = optionsOf(options);
  if (Result<void> done = gpu::plan(tile.kernel(), planned); !done)
    return done.error();
  cuda::Artifact artifact;
  llvm::LLVMContext context;
  auto module = gpu::lower(tile.kernel(), planned, context, artifact);
  if (!module)
    return module.error();
  Result<std::string> ptx = gpu::emitPtx(**module, planned);
  if (!ptx)
    return ptx.error();
  artifact.ptx = std::move(*ptx);
  return artifact;
}

Result<std::string> compileGpuText(const TileModule &tile, const GpuOptions &options, GpuStage stage) {
  gpu::Options planned = optionsOf(options);
  if (Result<void> done = gpu::plan(tile.kernel(), planned); !done)
    return done.error();
  if (stage == GpuStage::Gpu)
    return tile.text();
  cuda::Artifact artifact;
  llvm::LLVMContext context;
  auto module = gpu::lower(tile.kernel(), planned, context, artifact);
  if (!module)
    return module.error();
  if (stage == GpuStage::Ptx)
    return gpu::emitPtx(**module, planned);
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, nullptr);
  return text;
}

} // namespace nereid::compiler
