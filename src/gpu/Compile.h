// Compile.h: tile IR to PTX for an NVIDIA GPU, stage by stage.
#pragma once

#include "codegen/LlvmWork.h"
#include "gpu/Options.h"
#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// Tile IR with layouts, shared memory and everything else that is planned. In place.
Result<void> plan(mlir::func::FuncOp kernel, const Options &options);
// Planned tile IR to LLVM IR, optimized, as the module of `work`.
Result<void> lower(mlir::func::FuncOp kernel, const Options &options, codegen::LlvmWork &work,
                   cuda::Artifact &artifact);

} // namespace nereid::gpu
