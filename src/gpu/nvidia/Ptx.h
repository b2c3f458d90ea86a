// Ptx.h: LLVM IR to PTX.
#pragma once

#include "gpu/Options.h"
#include "nereid/result.hpp"

namespace llvm {
class Module;
}

namespace nereid::gpu {

// On a function: its addresses are formed as they should stay.
constexpr const char *kFormsAddresses = "nereid-forms-addresses";

// The version of PTX for LLVM: 8.4, the first with all we use (fp8 products), which drivers since CUDA 12.4 read. For GPUs that are newer
// LLVM takes the first that knows them.
const char *ptxFeaturesFor(const Target &target);

// Sets triple and data layout and runs the passes that our code profits from. In place.
void optimizeForPtx(llvm::Module &module, const Options &options);
Result<std::string> emitPtx(llvm::Module &module, const Options &options);

} // namespace nereid::gpu
