// Passes.h: the passes that plan tile IR for the threads of a GPU. The list in compiler/Pipeline.cpp and nereid-opt take
// them from here. All have the same options: what the kernel is compiled for.
#pragma once

#include "gpu/Options.h"

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace nereid::gpu {

using PassPtr = std::unique_ptr<mlir::Pass>;

// In the order in which they run.
PassPtr createMarkBlocksPass(const Options &options = {});          // warp-mark-blocks
PassPtr createExpandScaledPass(const Options &options = {});        // warp-expand-scaled
PassPtr createPromoteProductsPass(const Options &options = {});     // warp-promote-products
PassPtr createAccumulateProductsPass(const Options &options = {});  // warp-accumulate-products
PassPtr createOrderMemoryPass(const Options &options = {});         // warp-order-memory
PassPtr createHoistNumbersPass(const Options &options = {});        // warp-hoist-numbers
PassPtr createSpecializeWarpsPass(const Options &options = {});     // warp-specialize-warps
PassPtr createSpecializeAttentionPass(const Options &options = {}); // warp-specialize-attention
PassPtr createPipelineLoopsPass(const Options &options = {});       // warp-pipeline-loops
PassPtr createStoreBlocksPass(const Options &options = {});         // warp-store-blocks
PassPtr createRemarksPass(const Options &options = {});             // warp-remarks
PassPtr createUnrollLoopsPass(const Options &options = {});         // warp-unroll-loops
PassPtr createPrefetchLoadsPass(const Options &options = {});       // warp-prefetch-loads
PassPtr createCopyOperandsPass(const Options &options = {});        // warp-copy-operands
PassPtr createStageOperandsPass(const Options &options = {});       // warp-stage-operands
PassPtr createAssignLayoutsPass(const Options &options = {});       // warp-assign-layouts
PassPtr createCarryPartialsPass(const Options &options = {});       // warp-carry-partials
PassPtr createSinkConversionsPass(const Options &options = {});     // warp-sink-conversions
PassPtr createRotateProductsPass(const Options &options = {});      // warp-rotate-products
PassPtr createResetSumsPass(const Options &options = {});           // warp-reset-sums
PassPtr createScheduleProductsPass(const Options &options = {});    // warp-schedule-products
PassPtr createVerifyFlightPass(const Options &options = {});        // warp-verify-flight: changes nothing

// Makes every pass known to nereid-opt by its flag.
void registerPasses();

} // namespace nereid::gpu
