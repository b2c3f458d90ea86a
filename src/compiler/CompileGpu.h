// CompileGpu.h: tile IR to PTX for an NVIDIA GPU.
#pragma once

#include "compiler/Compiler.h"
#include "gpu/CodeChoices.h"
#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"

namespace nereid::compiler {

struct GpuOptions {
  std::string target = "sm_90a";
  int numWarps = 4, numStages = 3, numCtas = 1;
  gpu::CodeChoices choices = {};
  bool remarks = false;       // Artifact::remarks tells why loops and products are not faster
  bool debugInfo = true;      // line tables
  bool usesTensorMaps = true; // false: descriptors are read like other memory
};

// The PTX and everything the launcher must know; no machine code yet. The module is used up.
Result<cuda::Artifact> compileGpu(const TileModule &tile, const GpuOptions &options);

// The text of one stage on that way. The module is used up.
enum class GpuStage { Gpu, Llvm, Ptx, Triton }; // the last: as Gpu, under Triton's names
Result<std::string> compileGpuText(const TileModule &tile, const GpuOptions &options, GpuStage stage);

} // namespace nereid::compiler
