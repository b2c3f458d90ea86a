// Pipeline.h: the order of passes, for every target, in one place.
#pragma once

#include "codegen/LlvmWork.h"
#include "compiler/Compiler.h"
#include "cpu/Lower.h"
#include "gpu/Options.h"
#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"

namespace mlir {
class OpPassManager;
}

namespace nereid::compiler {

// The lists, on a module.
void addTilePasses(mlir::OpPassManager &passes);
void addCpuPasses(mlir::OpPassManager &passes, const cpu::Target &target);
void addGpuPasses(mlir::OpPassManager &passes, const gpu::Options &options);

// Freshly emitted tile IR, cleaned up. In place, as are all below.
Result<void> runTilePasses(mlir::func::FuncOp kernel);
// Tile IR as a CPU takes it, and as a GPU does: with layouts, shared memory and all else that is planned.
Result<void> planForCpu(mlir::func::FuncOp kernel, const cpu::Target &target);
Result<void> planForGpu(mlir::func::FuncOp kernel, const gpu::Options &options);
// Tile IR for the interpreter as the first passes of a GPU leave it, with what the analysis says of each value, which is compared there.
Result<void> planForClaims(mlir::func::FuncOp kernel);

// Tile IR to optimized LLVM IR, as the module of `work`; fills all of `artifact` but the code.
Result<void> lowerForCpu(const TileModule &tile, const cpu::Target &target, const cpu::LowerOptions &options,
                         codegen::LlvmWork &work, cpu::Artifact &artifact);
// The same for a GPU; gives the planned tile IR. Warps and stages of `options` become those that were taken.
Result<TileModule> lowerForGpu(TileModule tile, gpu::Options &options, codegen::LlvmWork &work,
                               cuda::Artifact &artifact);

// Makes the lists known to nereid-opt: `tile-pipeline`, `cpu-plan`, and `warp-plan` with what is in flight verified.
void registerPipelines();

} // namespace nereid::compiler
