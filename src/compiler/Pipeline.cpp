// Pipeline.cpp: the whole compiler, in order, for every target.
//
//   kernel  ─► tile IR                    lang::emitKernel, addTilePasses: what the interpreter runs
//   tile IR ─► CPU: one loop nest a group addCpuPasses ─► cpu::lower ─► LLVM's passes (cpu/Object.cpp) ─► object
//   tile IR ─► GPU: the code of a thread  addGpuPasses ─► gpu::lower ─► LLVM's passes (gpu/nvidia/Ptx.cpp) ─► PTX
//                                         └── again with fewer stages, where the plan takes too much shared memory
//
// Each pass is a file of its name, with IR before and after on top, and a flag of nereid-opt.
#include "compiler/Pipeline.h"

#include "codegen/RunPasses.h"
#include "cpu/Object.h"
#include "cpu/Passes.h"
#include "dialect/Tile.h"
#include "gpu/Lower.h"
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/nvidia/Libdevice.h"
#include "gpu/nvidia/Ptx.h"
#include "gpu/pipeline/Slots.h"
#include "gpu/pipeline/SpecializeWarps.h"
#include "gpu/products/ChooseWarps.h"
#include "gpu/products/DotPlan.h"
#include "transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace nereid::compiler {

// Every target: on tile IR as it was emitted.
void addTilePasses(OpPassManager &passes) {
  OpPassManager &onKernel = passes.nest<func::FuncOp>();
  // Before statements whose results nobody uses are dead code.
  onKernel.addPass(transforms::createSpreadHintsPass());
  // Constants that the emitter could not see (through branches and loops), invariant loop arguments, dead code.
  onKernel.addPass(createCanonicalizerPass());
  // Where bounds and steps that are constants can be seen; before passes that ask for `for`.
  onKernel.addPass(transforms::createRaiseLoopsPass());
  // Pointers and indices that a loop only moves on become one scalar; arguments that never change are gone by now.
  onKernel.addPass(transforms::createScalarizeAdvancePass());
  // The same pointer and mask arithmetic written in several places.
  onKernel.addPass(createCSEPass());
  // `where(mask, load(…, mask), other)`: the mask of both is one value only after the common-subexpression pass.
  onKernel.addPass(transforms::createMergeSelectPass());
  // Before code moves out of loops: the iterations that were put together share it.
  onKernel.addPass(transforms::createUnrollLoopsPass());
  // Arithmetic that does not depend on the loop it stands in.
  onKernel.addPass(createLoopInvariantCodeMotionPass());
}

static void simplify(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

// A CPU: what pays there and would change the reference, and what lowering does not know becomes what it knows.
void addCpuPasses(OpPassManager &passes, const cpu::Target &target) {
  // A loop folds rows lane by lane, and the lanes behind it.
  passes.addNestedPass<func::FuncOp>(transforms::createPartialReductionsPass(target.lanes(32)));
  passes.addPass(transforms::createInlineCallsPass());
  OpPassManager &onKernel = passes.nest<func::FuncOp>();
  // Loop nests go through powers of two of elements.
  onKernel.addPass(transforms::createSplitExtentsPass());
  // Blocks of described tensors are loads and stores with pointers and masks.
  onKernel.addPass(transforms::createCarryDescriptorsPass());
  onKernel.addPass(transforms::createExpandDescriptorsPass());
  // No processor multiplies what is kept of a sparse operand alone.
  onKernel.addPass(transforms::createExpandSparsePass());
  // What came out of the expansion stands many times: common parts once, so that equal pointers are one value.
  simplify(onKernel);
  // Behind the pass that makes one of equal reshapes.
  onKernel.addPass(cpu::createSeparateStripsPass());
}

static void expandBlocks(OpPassManager &passes, const std::string &keep) {
  passes.addPass(transforms::createCarryDescriptorsPass());
  passes.addPass(transforms::createExpandDescriptorsPass(transforms::DescriptorForm::Threads, keep));
}

// What a GPU makes of tile IR that any target could run.
static OpPassManager &addFirstGpuPasses(OpPassManager &passes) {
  passes.addPass(transforms::createInlineCallsPass());
  OpPassManager &onKernel = passes.nest<func::FuncOp>();
  // Threads, lanes and registers are powers of two: so is what they share.
  onKernel.addPass(transforms::createSplitExtentsPass());
  simplify(onKernel);
  // A list of blocks of which only the first one is ever looked up is not looked up.
  onKernel.addPass(transforms::createFoldRangesPass());
  // Copies ahead look at loads that every iteration makes.
  onKernel.addPass(transforms::createJoinLoadsPass());
  // Where a product and a difference are one instruction.
  onKernel.addPass(transforms::createScaleLargestPass());
  // Before anything rests on what is known of numbers.
  onKernel.addPass(transforms::createSplitSignsPass());
  return onKernel;
}

// A GPU: who holds which element, what is copied when, who waits for whom.
void addGpuPasses(OpPassManager &passes, const gpu::Options &options) {
  OpPassManager &onKernel = addFirstGpuPasses(passes);
  // Which blocks can come by TMA is seen while descriptors are whole; all others go through pointers.
  onKernel.addPass(gpu::createMarkBlocksPass(options));
  expandBlocks(onKernel, warp::kBlockAttribute);
  // Scales are multiplied in before the product: tensor cores of these GPUs take none.
  onKernel.addPass(gpu::createExpandScaledPass(options));
  // Sparse operands stay as they are for the sparse tensor cores alone.
  onKernel.addPass(transforms::createExpandSparsePass(
      [options](Operation *op) { return gpu::usesWgmma(cast<tile::DotOp>(op), options); }));
  simplify(onKernel);
  // Products as tensor cores take them, before loops are chosen by what their products can.
  onKernel.addPass(gpu::createPromoteProductsPass(options));
  onKernel.addPass(gpu::createAccumulateProductsPass(options));
  // Before accesses move: barriers are what keeps them from it.
  onKernel.addPass(gpu::createOrderMemoryPass(options));
  onKernel.addPass(gpu::createHoistNumbersPass(options));
  // A kernel in two parts, where that pays; loops that are left get their copies from all threads.
  onKernel.addPass(gpu::createSpecializeWarpsPass(options));
  onKernel.addPass(gpu::createSpecializeAttentionPass(options));
  onKernel.addPass(gpu::createPipelineLoopsPass(options));
  // Results of products leave by TMA; behind the passes that count what copies leave of shared memory.
  onKernel.addPass(gpu::createStoreBlocksPass(options));
  // Blocks that do not come ahead of their use go through pointers.
  expandBlocks(onKernel, "");
  simplify(onKernel);
  // Once nothing can be pipelined any more, and before layouts hide why.
  if (options.remarks)
    onKernel.addPass(gpu::createRemarksPass(options));
  // What no copy brings ahead: loads of all iterations at once, rows ahead of their iteration, operands into shared memory.
  onKernel.addPass(gpu::createUnrollLoopsPass(options));
  onKernel.addPass(gpu::createPrefetchLoadsPass(options));
  onKernel.addPass(gpu::createCopyOperandsPass(options));
  onKernel.addPass(gpu::createStageOperandsPass(options));
  // From here on tiles have layouts.
  onKernel.addPass(gpu::createAssignLayoutsPass(options));
  // Loops that only combine reductions carry what each thread has, and the threads meet behind them.
  onKernel.addPass(gpu::createCarryPartialsPass(options));
  // Conversions right before their first user: loads in between need not wait at their barriers.
  onKernel.addPass(gpu::createSinkConversionsPass(options));
  // Where products start and end, once it is known which of them are wgmma.
  onKernel.addPass(gpu::createRotateProductsPass(options));
  onKernel.addPass(gpu::createResetSumsPass(options));
  onKernel.addPass(gpu::createScheduleProductsPass(options));
}

Result<void> runTilePasses(func::FuncOp kernel) {
  PassManager passes(kernel->getContext());
  addTilePasses(passes);
  Result<void> done = codegen::runPasses(passes, kernel);
  return done ? codegen::verified(kernel->getParentOfType<ModuleOp>(), kernel.getName()) : done;
}

Result<void> planForCpu(func::FuncOp kernel, const cpu::Target &target) {
  PassManager passes(kernel->getContext());
  addCpuPasses(passes, target);
  return codegen::runPasses(passes, kernel);
}

Result<void> planForClaims(func::FuncOp kernel) {
  PassManager passes(kernel->getContext());
  OpPassManager &onKernel = addFirstGpuPasses(passes);
  expandBlocks(onKernel, "");
  simplify(onKernel);
  onKernel.addPass(transforms::createStateClaimsPass());
  return codegen::runPasses(passes, kernel);
}

// What is in flight is followed in debug builds; what it finds is our own bug.
static Result<void> verifyFlight(func::FuncOp kernel, const gpu::Options &options) {
  PassManager passes(kernel->getContext());
  passes.addNestedPass<func::FuncOp>(gpu::createVerifyFlightPass(options));
  Result<void> flight = codegen::runPasses(passes, kernel);
  return flight ? flight : codegen::bugIn(kernel.getName(), flight.error().message);
}

Result<void> planForGpu(func::FuncOp kernel, const gpu::Options &options) {
  if (Result<void> checked = gpu::check(kernel, options); !checked)
    return checked;
  PassManager passes(kernel->getContext());
  addGpuPasses(passes, options);
  if (options.remarks)
    options.remarks->clear();
  if (Result<void> planned = codegen::runPasses(passes, kernel, options.remarks); !planned)
    return planned;
  Result<void> verified = codegen::verified(kernel, kernel.getName());
  return verified && codegen::kVerifiesPasses ? verifyFlight(kernel, options) : verified;
}

Result<void> lowerForCpu(const TileModule &tile, const cpu::Target &target, const cpu::LowerOptions &options,
                         codegen::LlvmWork &work, cpu::Artifact &artifact) {
  if (Result<void> planned = planForCpu(tile.kernel(), target); !planned)
    return planned;
  if (Result<void> lowered = cpu::lower(tile.kernel(), target, options, work, artifact); !lowered)
    return lowered;
  cpu::optimize(*work.module, target);
  return {};
}

// What is asked for a kernel, or for one of its loops.
static unsigned mostStages(func::FuncOp kernel, const gpu::Options &options) {
  unsigned most = options.numStages;
  kernel.walk([&](scf::ForOp loop) {
    if (loop->hasAttr("tile.num_stages"))
      most = std::max(most, gpu::stagesOf(loop, options));
  });
  return most;
}

// One stage of `stages` less, and at last operands of products in shared memory only as long as their product needs them. False:
// there is nothing left to give up.
static bool takesLess(gpu::Options &options, unsigned stages) {
  if (options.stagesCut + 1 < stages) {
    options.numStages = std::max(options.numStages, 2u) - 1, ++options.stagesCut;
    return true;
  }
  return !std::exchange(options.stagesLate, true);
}

Result<TileModule> lowerForGpu(TileModule tile, gpu::Options &options, codegen::LlvmWork &work,
                               cuda::Artifact &artifact) {
  work.context->setDiscardValueNames(true); // they cost more than the passes that would use them
  // More than were asked for, where the sums of a loop need the registers.
  options.numWarps = gpu::chooseWarps(tile.kernel(), options);
  const gpu::Options asked = options;
  options.numWarps = gpu::warpsWithProducer(tile.kernel(), options);
  bool hasProduct = false;
  tile.kernel().walk([&](tile::DotOp) { hasProduct = true; });
  unsigned stages = mostStages(tile.kernel(), options);
  for (;;) {
    TileModule spare; // for the next attempt
    if (hasProduct && (!options.stagesLate || options.numWarps != asked.numWarps))
      spare.module = mlir::ModuleOp(*tile.module).clone();
    artifact = {};
    if (Result<void> planned = planForGpu(tile.kernel(), options); !planned)
      return planned.error();
    if (options.numWarps != asked.numWarps && !gpu::specializationOf(tile.kernel())) {
      options = asked;
      tile = std::move(spare);
      continue;
    }
    if (Result<void> lowered = gpu::lower(tile.kernel(), options, work, artifact); !lowered)
      return lowered.error();
    if (!spare.module || artifact.sharedBytes <= options.target.sharedBytes || !takesLess(options, stages))
      break;
    tile = std::move(spare);
  }
  // Bodies of device functions, before all that LLVM does to them.
  if (Result<void> linked = gpu::linkLibraries(*work.module, options.choices); !linked)
    return linked.error();
  gpu::optimizeForPtx(*work.module, options);
  return tile;
}

namespace {

struct PlanOptions : PassPipelineOptions<PlanOptions> {
  gpu::PlanFlags<PlanOptions> flags{*this, gpu::Options{}};
};

} // namespace

void registerPipelines() {
  PassPipelineRegistration<>("tile-pipeline", "All passes that every target shares, in order", addTilePasses);
  PassPipelineRegistration<>("cpu-plan", "All passes for this machine's processor, in order",
                             [](OpPassManager &passes) { addCpuPasses(passes, cpu::hostTarget()); });
  PassPipelineRegistration<PlanOptions>("warp-plan", "All that is planned for the threads of a GPU, in order",
                                        [](OpPassManager &passes, const PlanOptions &options) {
                                          addGpuPasses(passes, options.flags.options());
                                          passes.addNestedPass<func::FuncOp>(
                                              gpu::createVerifyFlightPass(options.flags.options()));
                                        });
}

} // namespace nereid::compiler
