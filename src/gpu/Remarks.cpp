#include "gpu/Remarks.h"

#include "gpu/DotPlan.h"
#include "gpu/PipelineLoops.h"

using namespace mlir;

namespace nereid::gpu {

static std::string lineOf(Location location, const std::string &message) {
  std::string text;
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    text = place.getFilename().str() + ":" + std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn()) +
           ": ";
    return WalkResult::interrupt();
  });
  return text + "remark: " + message + "\n";
}

// Copies that run ahead are awaited at the start of each turn.
static bool isPipelined(scf::ForOp loop) {
  return !loop.getBody()->getOps<warp::WaitOp>().empty() || !loop.getBody()->getOps<warp::WaitPhaseOp>().empty();
}

static std::string remarksOnLoop(scf::ForOp loop, const analysis::AxisInfoAnalysis &axes, const Options &options) {
  bool hasProduct = !loop.getBody()->getOps<tile::DotOp>().empty();
  if (!hasProduct || loop->getParentOfType<warp::SpecializeOp>())
    return {};
  auto remark = [&](Operation *op, const std::string &why) {
    return lineOf(op->getLoc(), "this " + std::string(isa<scf::ForOp>(op) ? "loop is not pipelined" : "load does not run ahead of the loop") + ": " + why);
  };
  if (!isPipelined(loop) && options.numStages < 2)
    return remark(loop, "it has one stage; `num_stages` of 2 or more lets loads run ahead");
  if (!isPipelined(loop) && !loop.getBody()->getOps<tile::BarrierOp>().empty())
    return remark(loop, "a barrier, or a store to memory that it loads from, orders its accesses");
  std::string text;
  bool hasLoad = false;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() < 2)
      continue;
    hasLoad = true;
    std::string why = whyNotAhead(load, axes, options);
    text += remark(load, why.empty() ? "its address depends on what the loop computes, or its buffers take too much "
                                       "shared memory"
                                     : why);
  }
  if (!hasLoad && !isPipelined(loop))
    return remark(loop, "it loads no tile that a product takes");
  return text;
}

std::string remarksOn(func::FuncOp kernel, const Options &options) {
  analysis::AxisInfoAnalysis axes(kernel);
  std::string text;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      text += remarksOnLoop(loop, axes, options);
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && options.capability() == 90)
      if (std::string why = whyNotWgmma(dot, options); !why.empty())
        text += lineOf(op->getLoc(), "this product does not use wgmma: " + why);
  });
  return text;
}

} // namespace nereid::gpu
