// AheadOfTimeGpu.h: a kernel compiled for a GPU from a signature: no arguments, no launch, and no GPU needed.
#pragma once

#include "gpu/Target.h"
#include "jit/Bind.h"

#include <array>

namespace nereid::jit {

enum class GpuStage { Gpu, Triton, Llvm, Ptx, Cubin }; // Triton: as Gpu, in Triton's words

// The text, or the bytes, of one stage. The remarks of the assembler, and where
// they are asked for ours, go to `remarks`.
Result<std::string> compileForGpu(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                  std::vector<NamedHostValue> arguments, const Settings &settings,
                                  const gpu::Target &target, GpuStage stage, std::string &remarks);

// The kernel as C, see GpuSource.h: its source or its header. `name` is the function's (empty: KERNEL), `grid` its C expressions (all empty:
// the grid is passed).
struct GpuCOptions {
  gpu::Target target;
  std::string name;
  std::array<std::string, 3> grid;
  bool isHeader = false;
};
Result<std::string> compileToC(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                               const std::vector<NamedHostValue> &arguments, const Settings &settings,
                               const GpuCOptions &options, std::string &remarks);

} // namespace nereid::jit
