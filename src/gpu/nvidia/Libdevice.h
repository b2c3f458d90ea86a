// Libdevice.h: NVIDIA's library of mathematical functions as bitcode, for those that we have no body of our own for.
#pragma once

#include "nereid/result.hpp"

namespace llvm {
class Module;
}

namespace nereid::gpu {

// Gives the functions `__nv_*` that the module only declares their bodies. Does nothing where there are none. The file comes
// from TRITON_LIBDEVICE_PATH, CUDA_HOME, CUDA_PATH or the usual places of the toolkit.
Result<void> linkLibdevice(llvm::Module &module);

} // namespace nereid::gpu
