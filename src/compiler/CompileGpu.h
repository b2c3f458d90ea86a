// CompileGpu.h: tile IR to PTX for an NVIDIA GPU.
#pragma once

#include "compiler/Compiler.h"
#include "gpu/CodeChoices.h"
#include "gpu/Target.h"
#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"
#include "support/ProgramShape.h"

namespace nereid::compiler {

struct GpuOptions {
  gpu::Target target = gpu::targetOf("sm_90a");
  ProgramShape shape;
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
