// SpecializeAttention.cpp: a producer brings keys and values for loops with two products, so that the warp groups of the
// consumer need not wait for each other: one computes its softmax while the other has the tensor cores.
//
//   before  for k { %k = desc_load;  %s = dot %q, %k;  …;  %v = desc_load;  %o = dot %p, %v, … }
//   after   producer { for k { wait until slot of K is empty;  copy K;  the same for V } }
//           consumer { for k { wait for K;  %s = dot %q, %k;  K is empty;  …;  wait for V;  %o = …;  V is empty } }
//
// Several such loops one behind the other (blocks with and without a mask) go on with the same slots.
#include "gpu/pipeline/SpecializeWarps.h"

#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/pipeline/Ring.h"
#include "gpu/pipeline/Slots.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/ScheduleProducts.h"
#include "gpu/products/StageOperands.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

struct AttentionLoop {
  scf::ForOp loop;
  tile::DotOp products[2];
  tile::DescLoadOp blocks[2]; // the right operands
};

class AttentionSpecializer {
public:
  AttentionSpecializer(func::FuncOp kernel, const Options &options) : kernel(kernel), options(options) {}

  void run() {
    if (!options.target.hasTma || options.numWarps != 8 || !findLoops())
      return;
    llvm::SmallVector<scf::ForOp> innermost;
    for (AttentionLoop &each : loops)
      innermost.push_back(each.loop);
    slice = std::make_unique<ProducerSlice>(kernel, innermost);
    for (AttentionLoop &each : loops)
      for (tile::DescLoadOp block : each.blocks)
        if (!slice->add(block))
          return;
    if (fit())
      rewrite();
  }

private:
  // All products of the kernel are in loops of this kind.
  bool findLoops() {
    bool isUnsuitable = hasOpsForAllWarps(kernel);
    kernel.walk([&](Operation *op) {
      isUnsuitable |= isa<tile::BarrierOp>(op);
      auto dot = dyn_cast<tile::DotOp>(op);
      if (!dot)
        return;
      auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
      isUnsuitable |= !loop || !isa<func::FuncOp>(loop->getParentOp());
      if (loop && (loops.empty() || loops.back().loop != loop))
        isUnsuitable |= !add(loop);
    });
    return !isUnsuitable && !loops.empty();
  }

  bool add(scf::ForOp loop) {
    auto dots = llvm::to_vector(loop.getBody()->getOps<tile::DotOp>());
    if (dots.size() != 2 || !loop.getBody()->getOps<tile::LoadOp>().empty())
      return false;
    AttentionLoop found{loop, {dots[0], dots[1]}, {}};
    for (auto [dot, block] : llvm::zip(found.products, found.blocks)) {
      block = operandBlock(dot, 1);
      if (!block || !block.getResult().hasOneUse() || !usesWgmma(dot, options) || !maySpan(dot))
        return false;
    }
    Operation *left = dots[0].getLhs().getDefiningOp();
    bool isChain = left && !loop->isAncestor(left) && staysInRegisters(dots[1]) && dots[1].getResult().hasOneUse();
    int64_t threads = options.threads(), scores = dots[0].getType().getNumElements(),
            results = dots[1].getType().getNumElements();
    if (!isChain || (2 * results + 3 * scores) / 2 > int64_t(kRegistersForProducts) * threads)
      return false;
    if (!loops.empty())
      for (unsigned i : {0u, 1u})
        if (loops[0].blocks[i].getType() != found.blocks[i].getType())
          return false;
    loops.push_back(found);
    return true;
  }

  // Beside the queries.
  bool fit() {
    RankedTensorType queries = loops[0].products[0].getLhs().getType();
    uint64_t reserve = 1024 + uint64_t(queries.getNumElements()) * queries.getElementTypeBitWidth() / 8;
    uint64_t bytes = 0;
    for (tile::DescLoadOp block : loops[0].blocks)
      bytes += blockBuffer(block.getType(), 1).slotBytes();
    slots = stagesOf(loops[0].loop, options);
    while (slots >= 2 && slots * bytes + reserve > options.target.sharedBytes)
      --slots;
    return slots >= 2;
  }

  void rewrite() {
    auto makeRings = [&](OpBuilder &builder) -> llvm::SmallVector<Ring *> {
      for (auto [ring, block] : llvm::zip(rings, loops[0].blocks))
        ring = makeRing(builder, kernel.getLoc(), {block.getType()}, slots, options.numWarps);
      return {&rings[0], &rings[1]};
    };
    auto fill = [&](OpBuilder &builder, IRMapping &mapping, scf::ForOp from, ValueRange state) {
      AttentionLoop &each = *llvm::find_if(loops, [&](AttentionLoop &loop) { return loop.loop == from; });
      for (auto [block, ring] : llvm::zip(each.blocks, rings))
        fillSlot(builder, from.getLoc(), ring, {block}, mapping, state[0], state[1]);
      return nextSlotAndPhase(builder, from.getLoc(), state[0], state[1], slots);
    };
    partKernel(kernel, makeRings, *slice, fill,
               [&](IRRewriter &builder, llvm::SmallVector<Value> state) { consume(builder, state); });
  }

  void consume(IRRewriter &builder, llvm::SmallVector<Value> &state) {
    for (AttentionLoop &each : loops) {
      each.loop = carryAlong(builder, each.loop, state);
      consumeIteration(builder, each);
      auto results = each.loop.getResults().take_back(2);
      state.assign(results.begin(), results.end());
      each.loop->setAttr(warp::kLagAttribute, builder.getUnitAttr());
    }
  }

  // Each product waits for its tile, and says that it is done with it.
  void consumeIteration(IRRewriter &builder, AttentionLoop &each) {
    Location loc = each.loop.getLoc();
    Operation *yield = each.loop.getBody()->getTerminator();
    Value slot = each.loop.getRegionIterArgs().take_back(2)[0], phase = each.loop.getRegionIterArgs().take_back(2)[1];
    for (auto [dot, block, ring] : llvm::zip(each.products, each.blocks, rings)) {
      Operation *right = dot.getRhs().getDefiningOp();
      builder.setInsertionPoint(dot);
      warp::WaitPhaseOp::create(builder, loc, ring.full, slot, phase);
      Value tile = warp::ReadOp::create(builder, block.getLoc(), block.getType(), ring.buffers[0], slot);
      if (right != block)
        right->moveBefore(dot);
      builder.replaceOp(block, tile);
      builder.setInsertionPointAfter(dot);
      warp::ArriveOp::create(builder, loc, ring.empty, slot, Value());
    }
    builder.setInsertionPoint(yield);
    yield->setOperands(yield->getNumOperands() - 2, 2, nextSlotAndPhase(builder, loc, slot, phase, slots));
  }

  func::FuncOp kernel;
  const Options &options;
  llvm::SmallVector<AttentionLoop> loops;
  std::unique_ptr<ProducerSlice> slice;
  Ring rings[2]; // keys, values
  unsigned slots = 0;
};

} // namespace

namespace {

struct SpecializeAttentionPass : PlanPass<SpecializeAttentionPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpecializeAttentionPass)
  StringRef getArgument() const final { return "warp-specialize-attention"; }
  StringRef getDescription() const final {
    return "Part attention into a producer of keys and values and the warps that compute";
  }
  void runOnOperation() final { AttentionSpecializer(getOperation(), options()).run(); }
};

} // namespace

PassPtr createSpecializeAttentionPass(const Options &options) {
  return std::make_unique<SpecializeAttentionPass>(options);
}

} // namespace nereid::gpu
