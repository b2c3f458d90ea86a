// GpuOptions.h: what a plan for a GPU is made with, from what is asked of the code.
#pragma once

#include "compiler/Compile.h"
#include "gpu/Options.h"

namespace nereid::compiler {

gpu::Options gpuOptions(const gpu::Target &target, const CodeOptions &options);

} // namespace nereid::compiler
