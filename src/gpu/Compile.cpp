#include "gpu/Compile.h"

#include "codegen/RunPasses.h"
#include "gpu/Passes.h"
#include "gpu/lower/Lowering.h"
#include "gpu/memory/TensorMaps.h"
#include "gpu/nvidia/Libdevice.h"
#include "gpu/nvidia/Ptx.h"
#include "layout/Space.h"
#include "transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/Verifier.h"

using namespace mlir;

namespace nereid::gpu {

static bool hasTooManyAxes(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getRank() > int64_t(layout::kMaxAxes);
}

static Result<void> check(func::FuncOp kernel, const Options &options) {
  if (!options.target.isSupported)
    return Error{Status::BadInput,
                 "error: code is generated for sm_70 and later, not for `" + options.target.name + "`\n"};
  if (!llvm::isPowerOf2_32(options.numWarps) || options.numWarps > 32)
    return Error{Status::BadInput, "error: a program has 1, 2, 4, 8, 16 or 32 warps on a GPU, not " +
                                       std::to_string(options.numWarps) + " (" + std::to_string(options.numWarps * 32) +
                                       " threads, of which there are at most 1024)\nnote: change `num_warps`\n"};
  bool isTooDeep = false;
  kernel.walk([&](Operation *op) { isTooDeep |= llvm::any_of(op->getResultTypes(), hasTooManyAxes); });
  if (isTooDeep)
    return Error{Status::BadInput, "error: `" + kernel.getName().str() + "` has a tile of more than " +
                                       std::to_string(layout::kMaxAxes) + " axes, which is too many for a GPU\n"};
  return {};
}

static void simplify(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

static void expandBlocks(OpPassManager &passes, const std::string &keep) {
  passes.addPass(transforms::createCarryDescriptorsPass());
  passes.addPass(transforms::createExpandDescriptorsPass(transforms::DescriptorForm::Threads, keep));
}

void addPlan(OpPassManager &passes, const Options &options) {
  passes.addPass(transforms::createInlineCallsPass());
  OpPassManager &onKernel = passes.nest<func::FuncOp>();
  simplify(onKernel);
  // Which blocks can come by TMA is seen while descriptors are whole; all others go through pointers.
  onKernel.addPass(createMarkBlocksPass(options));
  expandBlocks(onKernel, warp::kBlockAttribute);
  onKernel.addPass(createExpandScaledPass(options));
  simplify(onKernel);
  // Products as tensor cores take them, before loops are chosen by what their products can.
  onKernel.addPass(createPromoteProductsPass(options));
  onKernel.addPass(createAccumulateProductsPass(options));
  // Before accesses move: barriers are what keeps them from it.
  onKernel.addPass(createOrderMemoryPass(options));
  // A kernel in two parts, where that pays; loops that are left get their copies from all threads.
  onKernel.addPass(createSpecializeWarpsPass(options));
  onKernel.addPass(createSpecializeAttentionPass(options));
  onKernel.addPass(createPipelineLoopsPass(options));
  onKernel.addPass(createStoreBlocksPass(options));
  // Blocks that do not come ahead of their use go through pointers.
  expandBlocks(onKernel, "");
  simplify(onKernel);
  if (options.remarks)
    onKernel.addPass(createRemarksPass(options));
  // What no copy brings: loads of all iterations at once, rows ahead of their iteration, operands into shared memory.
  onKernel.addPass(createUnrollLoopsPass(options));
  onKernel.addPass(createPrefetchLoadsPass(options));
  onKernel.addPass(createStageOperandsPass(options));
  // From here on tiles have layouts.
  onKernel.addPass(createAssignLayoutsPass(options));
  onKernel.addPass(createCarryPartialsPass(options));
  onKernel.addPass(createSinkConversionsPass(options));
  onKernel.addPass(createRotateProductsPass(options));
  onKernel.addPass(createResetSumsPass(options));
  onKernel.addPass(createScheduleProductsPass(options));
}

static Result<void> verifyFlight(func::FuncOp kernel, const Options &options) {
  PassManager passes(kernel->getContext());
  passes.addNestedPass<func::FuncOp>(createVerifyFlightPass(options));
  Result<void> flight = codegen::runPasses(passes, kernel);
  return flight ? flight : codegen::bugIn(kernel.getName(), flight.error().message);
}

Result<void> plan(func::FuncOp kernel, const Options &options) {
  if (Result<void> checked = check(kernel, options); !checked)
    return checked;
  PassManager passes(kernel->getContext());
  addPlan(passes, options);
  if (options.remarks)
    options.remarks->clear();
  if (Result<void> planned = codegen::runPasses(passes, kernel, options.remarks); !planned)
    return planned;
  Result<void> verified = codegen::verified(kernel);
  return verified && codegen::kVerifiesPasses ? verifyFlight(kernel, options) : verified;
}

Result<void> lower(func::FuncOp kernel, const Options &options, codegen::LlvmWork &work, cuda::Artifact &artifact) {
  work.module = std::make_unique<llvm::Module>(kernel.getName(), *work.context);
  llvm::Module &module = *work.module;
  Lowering lowering(kernel, options, module, artifact);
  if (!lowering.run())
    return lowering.failure;
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    return codegen::bugIn(kernel.getName(), problem);
  if (Result<void> linked = linkLibraries(module, options.choices); !linked)
    return linked.error();
  optimizeForPtx(module, options);
  return {};
}

} // namespace nereid::gpu
