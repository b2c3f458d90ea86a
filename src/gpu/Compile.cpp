#include "gpu/Compile.h"

#include "codegen/Prepare.h"
#include "gpu/AssignLayouts.h"
#include "gpu/ExpandScaled.h"
#include "gpu/OrderMemory.h"
#include "gpu/PipelineLoops.h"
#include "gpu/Remarks.h"
#include "gpu/ScheduleProducts.h"
#include "gpu/SpecializeWarps.h"
#include "gpu/TensorMaps.h"
#include "gpu/dialect/Warp.h"
#include "gpu/lower/Lowering.h"
#include "gpu/nvidia/Libdevice.h"
#include "gpu/nvidia/Ptx.h"
#include "layout/Space.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/Verifier.h"

using namespace mlir;

namespace nereid::gpu {

static Error bugIn(func::FuncOp kernel, const std::string &problem) {
  return Error{Status::Environment,
               "error: the compiler made invalid code for `" + kernel.getName().str() + "`: " + problem + "\n"};
}

static bool simplify(func::FuncOp kernel) {
  PassManager passes(kernel->getContext(), func::FuncOp::getOperationName());
  passes.enableVerifier(false);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  return succeeded(passes.run(kernel));
}

static bool hasTooManyAxes(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getRank() > int64_t(layout::kMaxAxes);
}

static Result<void> check(func::FuncOp kernel, const Options &options) {
  if (options.capability() < 70)
    return Error{Status::BadInput, "error: code is generated for sm_70 and later, not for `" + options.target + "`\n"};
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

static Result<void> expandBlocks(func::FuncOp kernel, llvm::function_ref<bool(Operation *)> keeps) {
  Operation *op = codegen::expandDescriptors(kernel, codegen::DescriptorForm::Threads, keeps);
  if (!op)
    return {};
  return Error{Status::BadInput, "error: `" + kernel.getName().str() + "` chooses a descriptor at run time (" +
                                     op->getName().getStringRef().str() + "), which is not supported on the GPU\n"};
}

Result<void> plan(func::FuncOp kernel, const Options &options) {
  if (Result<void> checked = check(kernel, options); !checked)
    return checked;
  kernel->getContext()->loadDialect<warp::WarpDialect>();
  std::string complaint;
  ScopedDiagnosticHandler handler(kernel->getContext(), [&](Diagnostic &diagnostic) {
    if (complaint.empty())
      complaint = diagnostic.str();
    return success();
  });
  codegen::inlineCalls(kernel);
  if (!simplify(kernel))
    return bugIn(kernel, complaint);
  std::string onBlocks = markBlocks(kernel, options);
  if (Result<void> expanded = expandBlocks(kernel, isMarkedBlock); !expanded)
    return expanded;
  if (expandScaledProducts(kernel))
    return Error{Status::BadInput, "error: `" + kernel.getName().str() +
                                       "` has a scaled product of e2m3 or e3m2, which is not supported on the GPU\n"};
  if (!simplify(kernel))
    return bugIn(kernel, complaint);
  promoteProducts(kernel, options);
  accumulateProducts(kernel);
  orderMemory(kernel, options);
  specializeWarps(kernel, options);
  specializeAttention(kernel, options);
  pipelineLoops(kernel, options);
  storeBlocks(kernel, options);
  // Blocks that do not come ahead of their use go through pointers.
  if (Result<void> expanded = expandBlocks(kernel, {}); !expanded)
    return expanded;
  if (!simplify(kernel))
    return bugIn(kernel, complaint);
  if (options.remarks)
    *options.remarks = onBlocks + remarksOn(kernel, options);
  prefetchLoads(kernel, options);
  stageOperands(kernel, options);
  assignLayouts(kernel, options);
  scheduleProducts(kernel, options);
  if (failed(verify(kernel)))
    return bugIn(kernel, complaint);
  return {};
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
    return bugIn(kernel, problem);
  if (Result<void> linked = linkLibraries(module, options.choices); !linked)
    return linked.error();
  optimizeForPtx(module, options);
  return {};
}

} // namespace nereid::gpu
