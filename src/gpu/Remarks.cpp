// Remarks.cpp: why a loop or a product is not as fast as it could be, at its line of the source: loops whose tiles do not
// come ahead of their use, and products without the fastest instruction. After loops are pipelined, before operands are
// staged. Changes nothing.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/pipeline/LoopCopies.h"
#include "gpu/pipeline/Slots.h"
#include "gpu/products/DotPlan.h"

using namespace mlir;

namespace nereid::gpu {

// Copies that run ahead are awaited at the start of each iteration.
static bool isPipelined(scf::ForOp loop) {
  return !loop.getBody()->getOps<warp::WaitOp>().empty() || !loop.getBody()->getOps<warp::WaitPhaseOp>().empty();
}

static void remarkOnLoop(scf::ForOp loop, const analysis::AxisInfoAnalysis &axes, const Options &options) {
  bool hasProduct = !loop.getBody()->getOps<tile::DotOp>().empty();
  if (!hasProduct || loop->getParentOfType<warp::SpecializeOp>())
    return;
  auto remark = [&](Operation *op, const std::string &why) {
    op->emitRemark("this ") << (isa<scf::ForOp>(op) ? "loop is not pipelined" : "load does not run ahead of the loop")
                            << ": " << why;
  };
  if (!isPipelined(loop) && options.numStages < 2 && stagesOf(loop, options) < 2)
    return remark(loop, "it has one stage; `num_stages` of 2 or more lets loads run ahead");
  if (!isPipelined(loop) && !loop.getBody()->getOps<tile::BarrierOp>().empty())
    return remark(loop, "a barrier, or a store to memory that it loads from, orders its accesses");
  bool hasLoad = false;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() < 2)
      continue;
    hasLoad = true;
    std::string why = whyNotAhead(load, axes, options);
    remark(load, why.empty() ? "its address depends on what the loop computes, or its buffers take too much "
                               "shared memory"
                             : why);
  }
  if (!hasLoad && !isPipelined(loop))
    remark(loop, "it loads no tile that a product takes");
}

static void remarkOn(func::FuncOp kernel, const Options &options) {
  analysis::AxisInfoAnalysis axes(kernel);
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      remarkOnLoop(loop, axes, options);
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && options.target.hasTma) // a Hopper
      if (std::string why = whyNotWgmma(dot, options); !why.empty())
        op->emitRemark("this product does not use wgmma: " + why);
  });
}

namespace {

struct RemarksPass : PlanPass<RemarksPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RemarksPass)
  StringRef getArgument() const final { return "warp-remarks"; }
  StringRef getDescription() const final { return "Say why a loop or a product is not as fast as it could be"; }
  void runOnOperation() final { remarkOn(getOperation(), options()); }
};

} // namespace

PassPtr createRemarksPass(const Options &options) { return std::make_unique<RemarksPass>(options); }

} // namespace nereid::gpu
