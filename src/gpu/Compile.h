// Compile.h: tile IR to PTX for an NVIDIA GPU, stage by stage.
#pragma once

#include "gpu/Options.h"
#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace nereid::gpu {

// Tile IR with layouts, shared memory and everything else that is planned. In place.
Result<void> plan(mlir::func::FuncOp kernel, const Options &options);
// Planned tile IR to LLVM IR, optimized.
Result<std::unique_ptr<llvm::Module>> lower(mlir::func::FuncOp kernel, const Options &options,
                                            llvm::LLVMContext &context, cuda::Artifact &artifact);

} // namespace nereid::gpu
