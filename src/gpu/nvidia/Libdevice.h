// Libdevice.h: NVIDIA's library of mathematical functions as bitcode, for those that we have no body of our own for.
#pragma once

#include "gpu/CodeChoices.h"
#include "nereid/result.hpp"

namespace llvm {
class Module;
}

namespace nereid::gpu {

// Gives device functions that the module only declares their bodies: from the libraries that were chosen, and those of
// the name `__nv_*` from libdevice, which comes from TRITON_LIBDEVICE_PATH, CUDA_HOME, CUDA_PATH or the usual places of
// the toolkit.
Result<void> linkLibraries(llvm::Module &module, const CodeChoices &choices);

} // namespace nereid::gpu
