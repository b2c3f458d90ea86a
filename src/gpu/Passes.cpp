#include "gpu/Passes.h"

#include "mlir/Pass/Pass.h"

namespace nereid::gpu {

void registerPasses() {
  for (auto create :
       {createMarkBlocksPass,       createExpandScaledPass,    createPromoteProductsPass, createAccumulateProductsPass,
        createOrderMemoryPass,      createHoistNumbersPass,    createSpecializeWarpsPass, createSpecializeAttentionPass,
        createPipelineLoopsPass,    createStoreBlocksPass,     createRemarksPass,         createUnrollLoopsPass,
        createPrefetchLoadsPass,    createCopyOperandsPass,    createStageOperandsPass,   createAssignLayoutsPass,
        createCarryPartialsPass,    createSinkConversionsPass, createRotateProductsPass,  createResetSumsPass,
        createScheduleProductsPass, createVerifyFlightPass})
    mlir::registerPass([create] { return create({}); });
}

} // namespace nereid::gpu
