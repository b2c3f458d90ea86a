// Lower.h: a kernel of planned tile IR to LLVM IR for the threads of a GPU.
#pragma once

#include "codegen/LlvmWork.h"
#include "gpu/Options.h"
#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// Whether code can be made of the kernel at all: the GPU, the warps, the axes of its tiles.
Result<void> check(mlir::func::FuncOp kernel, const Options &options);
// LLVM IR before its passes, as the module of `work`; fills all of `artifact` but the code.
Result<void> lower(mlir::func::FuncOp kernel, const Options &options, codegen::LlvmWork &work,
                   cuda::Artifact &artifact);

} // namespace nereid::gpu
