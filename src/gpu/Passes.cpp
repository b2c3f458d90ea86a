#include "gpu/Passes.h"

#include "gpu/PlanPass.h"

#include "mlir/Pass/PassManager.h"

namespace nereid::gpu {

namespace {

struct PlanOptions : mlir::PassPipelineOptions<PlanOptions> {
  PlanFlags<PlanOptions> flags{*this, Options{}};
};

void addVerifiedPlan(mlir::OpPassManager &passes, const PlanOptions &options) {
  addPlan(passes, options.flags.options());
  passes.addNestedPass<mlir::func::FuncOp>(createVerifyFlightPass(options.flags.options()));
}

} // namespace

void registerPasses() {
  for (auto create :
       {createMarkBlocksPass, createExpandScaledPass, createPromoteProductsPass, createAccumulateProductsPass,
        createOrderMemoryPass, createSpecializeWarpsPass, createSpecializeAttentionPass, createPipelineLoopsPass,
        createStoreBlocksPass, createRemarksPass, createUnrollLoopsPass, createPrefetchLoadsPass, createStageOperandsPass,
        createAssignLayoutsPass, createCarryPartialsPass, createSinkConversionsPass, createRotateProductsPass,
        createResetSumsPass, createScheduleProductsPass, createVerifyFlightPass})
    mlir::registerPass([create] { return create({}); });
  mlir::PassPipelineRegistration<PlanOptions>("warp-plan", "All that is planned for the threads of a GPU, in order",
                                              addVerifiedPlan);
}

} // namespace nereid::gpu
