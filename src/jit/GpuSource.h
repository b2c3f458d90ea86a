// GpuSource.h: a kernel for an NVIDIA GPU as C: a header with one typed function that launches it, and a source with its machine code.
// A program needs both and the driver's library, nothing else.
#pragma once

#include "lang/Function.h"
#include "lang/emit/EmitIR.h"
#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"

#include <array>

namespace nereid::jit {

struct GpuSourceRequest {
  const lang::Function &kernel;
  const std::vector<lang::ArgumentSpec> &specs; // one for each parameter
  // With its image. Where it has tensor maps a second one without, for tensors that TMA cannot read.
  std::vector<cuda::Artifact> codes;
  std::string file;                // of the kernel, for the comment
  std::string name;                // of the function
  std::array<std::string, 3> grid; // C expressions of the parameters; empty: parameters of their own
};

std::string emitGpuHeader(const GpuSourceRequest &request);
// Fails where C cannot say what a parameter is.
Result<std::string> emitGpuSource(const GpuSourceRequest &request);

} // namespace nereid::jit
