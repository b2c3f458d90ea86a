// SpecializeAttention.cpp: a producer brings keys and values for loops with two products, so that the warp groups of the
// consumer need not wait for each other: one computes its softmax while the other has the tensor cores.
//
//   before  for k { %k = desc_load;  %s = dot %q, %k;  …;  %v = desc_load;  %o = dot %p, %v, … }
//   after   producer { for k { wait until slot of K is empty;  copy K;  the same for V } }
//           consumer { for k { wait for K;  %s = dot %q, %k;  K is empty;  …;  wait for V;  %o = …;  V is empty } }
//
// Heads whose columns are several tiles have a product of each kind for each: %s = dot %q2, %k2, (dot %q1, %k1), and results of their
// own. Keys in several tiles have scores of their own, and %o = dot %p2, %v2, (dot %p1, %v1, …).
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

// Scores, or results: one product, or one for each tile of columns and of keys.
struct ProductsOfKind {
  llvm::SmallVector<tile::DotOp, 2> dots;
  llvm::SmallVector<tile::DescLoadOp, 2> blocks; // the right operands
};

struct AttentionLoop {
  scf::ForOp loop;
  ProductsOfKind kinds[2];
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
      for (ProductsOfKind &kind : each.kinds)
        for (tile::DescLoadOp block : kind.blocks)
          if (!slice->add(block))
            return;
    if (fit())
      rewrite();
  }

private:
  // All products of the kernel are in loops of this kind. Barriers stand behind them: what is ordered there are stores.
  bool findLoops() {
    bool isUnsuitable = hasOpsForAllWarps(kernel), hasBarrier = false;
    kernel.walk([&](Operation *op) {
      if (isa<tile::BarrierOp>(op)) {
        isUnsuitable |= !isa<func::FuncOp>(op->getParentOp());
        hasBarrier = true;
      }
      auto dot = dyn_cast<tile::DotOp>(op);
      if (!dot)
        return;
      isUnsuitable |= hasBarrier;
      auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
      isUnsuitable |= !loop || !isa<func::FuncOp>(loop->getParentOp());
      if (loop && (loops.empty() || loops.back().loop != loop))
        isUnsuitable |= !add(loop);
    });
    return !isUnsuitable && !loops.empty();
  }

  bool add(scf::ForOp loop) {
    if (!loop.getBody()->getOps<tile::LoadOp>().empty())
      return false;
    AttentionLoop found{loop, {}};
    int64_t elements[2] = {0, 0};
    for (tile::DotOp dot : loop.getBody()->getOps<tile::DotOp>()) {
      bool isResult = !isOfQueries(dot, loop);
      tile::DescLoadOp block = operandBlock(dot, 1);
      if (!block || !block.getResult().hasOneUse() || !usesWgmma(dot, options) || !maySpan(dot))
        return false;
      // Scores come first; results stay with their products.
      if (isResult ? !staysInRegisters(dot) || !dot.getResult().hasOneUse() : !found.kinds[1].dots.empty())
        return false;
      found.kinds[isResult].dots.push_back(dot);
      found.kinds[isResult].blocks.push_back(block);
      elements[isResult] += goesOn(dot) ? 0 : dot.getType().getNumElements();
    }
    auto [scores, results] = elements;
    if (scores == 0 || results == 0 ||
        (2 * results + 3 * scores) / 2 > int64_t(kRegistersForProducts) * options.threads())
      return false;
    if (!loops.empty() && !hasSameBlocks(loops[0], found))
      return false;
    loops.push_back(found);
    return true;
  }

  static bool isOfQueries(tile::DotOp dot, scf::ForOp loop) {
    Operation *left = dot.getLhs().getDefiningOp();
    return left && !loop->isAncestor(left);
  }

  static bool hasSameBlocks(AttentionLoop &one, AttentionLoop &other) {
    return llvm::all_of(llvm::zip(one.kinds, other.kinds), [](auto kinds) {
      auto &[first, second] = kinds;
      return llvm::equal(first.blocks, second.blocks,
                         [](tile::DescLoadOp a, tile::DescLoadOp b) { return a.getType() == b.getType(); });
    });
  }

  static llvm::SmallVector<RankedTensorType> typesOf(ProductsOfKind &kind) {
    return llvm::map_to_vector(kind.blocks, [](tile::DescLoadOp block) { return block.getType(); });
  }

  // Beside the queries.
  bool fit() {
    uint64_t reserve = 1024, bytes = 0;
    llvm::SmallDenseSet<Value> queries;
    for (tile::DotOp dot : loops[0].kinds[0].dots) {
      RankedTensorType type = dot.getLhs().getType();
      if (queries.insert(dot.getLhs()).second)
        reserve += uint64_t(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
    }
    for (ProductsOfKind &kind : loops[0].kinds)
      for (RankedTensorType type : typesOf(kind))
        bytes += blockBuffer(type, 1).slotBytes();
    slots = stagesOf(loops[0].loop, options);
    while (slots >= 2 && slots * bytes + reserve > options.target.sharedBytes)
      --slots;
    return slots >= 2;
  }

  void rewrite() {
    auto makeRings = [&](OpBuilder &builder) -> llvm::SmallVector<Ring *> {
      for (auto [ring, kind] : llvm::zip(rings, loops[0].kinds))
        ring = makeRing(builder, kernel.getLoc(), typesOf(kind), slots, options.numWarps);
      return {&rings[0], &rings[1]};
    };
    auto fill = [&](OpBuilder &builder, IRMapping &mapping, scf::ForOp from, ValueRange state) {
      AttentionLoop &each = *llvm::find_if(loops, [&](AttentionLoop &loop) { return loop.loop == from; });
      for (auto [kind, ring] : llvm::zip(each.kinds, rings))
        fillSlot(builder, from.getLoc(), ring, kind.blocks, mapping, state[0], state[1]);
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

  // Products of a kind wait for their tiles, and say that they are done with them.
  void consumeIteration(IRRewriter &builder, AttentionLoop &each) {
    Location loc = each.loop.getLoc();
    Operation *yield = each.loop.getBody()->getTerminator();
    Value slot = each.loop.getRegionIterArgs().take_back(2)[0], phase = each.loop.getRegionIterArgs().take_back(2)[1];
    for (auto [kind, ring] : llvm::zip(each.kinds, rings)) {
      builder.setInsertionPoint(kind.dots.front());
      warp::WaitPhaseOp::create(builder, loc, ring.full, slot, phase);
      for (auto [dot, block, buffer] : llvm::zip(kind.dots, kind.blocks, ring.buffers)) {
        Operation *right = dot.getRhs().getDefiningOp();
        builder.setInsertionPoint(dot);
        Value tile = warp::ReadOp::create(builder, block.getLoc(), block.getType(), buffer, slot);
        if (right != block)
          right->moveBefore(dot);
        builder.replaceOp(block, tile);
      }
      builder.setInsertionPointAfter(kind.dots.back());
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
