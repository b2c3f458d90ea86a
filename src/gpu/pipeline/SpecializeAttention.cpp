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
//
// Keys and values that are loaded by pointers are copied by all threads of the producer, row by row; whatever else the loop loads
// (biases, block indices for masks) the consumers load.
#include "gpu/pipeline/SpecializeWarps.h"

#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/memory/OrderMemory.h"
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
  llvm::SmallVector<Operation *, 2> loads; // of the right operands
  llvm::SmallVector<TileRows, 2> rows;     // where they are loaded by pointers

  llvm::SmallVector<tile::DescLoadOp, 2> blocks() const {
    return llvm::map_to_vector(loads, [](Operation *load) { return cast<tile::DescLoadOp>(load); });
  }
  llvm::SmallVector<warp::BufferType> buffers() const {
    if (!rows.empty())
      return llvm::map_to_vector(rows, [](const TileRows &tile) { return tile.buffer; });
    return llvm::map_to_vector(blocks(), [](tile::DescLoadOp block) { return blockBuffer(block.getType(), 1); });
  }
};

struct AttentionLoop {
  scf::ForOp loop;
  ProductsOfKind kinds[2];
};

class AttentionSpecializer {
public:
  AttentionSpecializer(func::FuncOp kernel, const Options &options) : kernel(kernel), options(options) {}

  void run() {
    if (!options.target.hasTma || options.numWarps != 8 || !findLoops() || (isByPointers && !findAllRows()) ||
        !haveSameBuffers())
      return;
    llvm::SmallVector<scf::ForOp> innermost;
    for (AttentionLoop &each : loops)
      innermost.push_back(each.loop);
    slice = std::make_unique<ProducerSlice>(kernel, innermost);
    for (AttentionLoop &each : loops)
      for (ProductsOfKind &kind : each.kinds)
        if (!addToSlice(kind))
          return;
    if (fit())
      rewrite();
  }

private:
  // All products of the kernel are in loops of this kind. Barriers stand behind them: what is ordered there are stores.
  bool findLoops() {
    bool isUnsuitable = hasOpsForAllWarps(kernel), hasBarrier = false;
    kernel.walk([&](Operation *op) {
      isUnsuitable |= mayWaitForOthers(op);
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
    AttentionLoop found{loop, {}};
    int64_t elements[2] = {0, 0};
    for (tile::DotOp dot : loop.getBody()->getOps<tile::DotOp>()) {
      bool isResult = !isOfQueries(dot, loop);
      Operation *load = operandBlock(dot, 1);
      if (!load)
        load = operandLoad(dot);
      if (!load || !load->hasOneUse() || !usesWgmma(dot, options) || !maySpan(dot))
        return false;
      // All of them come in the same way.
      if (loops.empty() && found.kinds[0].loads.empty())
        isByPointers = isa<tile::LoadOp>(load);
      if (isByPointers != isa<tile::LoadOp>(load))
        return false;
      // Scores come first; results stay with their products.
      if (isResult ? !staysInRegisters(dot) || !dot.getResult().hasOneUse() : !found.kinds[1].dots.empty())
        return false;
      found.kinds[isResult].dots.push_back(dot);
      found.kinds[isResult].loads.push_back(load);
      elements[isResult] += goesOn(dot) ? 0 : dot.getType().getNumElements();
    }
    auto [scores, results] = elements;
    if (scores == 0 || results == 0 ||
        (2 * results + 3 * scores) / 2 > int64_t(kRegistersForProducts) * options.threads())
      return false;
    loops.push_back(found);
    return true;
  }

  static bool isOfQueries(tile::DotOp dot, scf::ForOp loop) {
    Operation *left = dot.getLhs().getDefiningOp();
    return left && !loop->isAncestor(left);
  }

  // The load by pointers that is the right operand of a product, perhaps transposed.
  static tile::LoadOp operandLoad(tile::DotOp dot) {
    Value operand = dot.getRhs();
    if (auto trans = operand.getDefiningOp<tile::TransOp>(); trans && trans.getOrder() == ArrayRef<int32_t>{1, 0})
      operand = trans.getSource();
    auto load = operand.getDefiningOp<tile::LoadOp>();
    return load && load->getBlock() == dot->getBlock() ? load : tile::LoadOp();
  }

  // Tensor cores read a tile of bytes along K only.
  bool findAllRows() {
    analysis::AxisInfoAnalysis axes(kernel);
    for (AttentionLoop &each : loops)
      for (ProductsOfKind &kind : each.kinds)
        for (auto [dot, load] : llvm::zip(kind.dots, kind.loads)) {
          std::optional<TileRows> rows = findRows(cast<tile::LoadOp>(load), axes);
          bool isTransposed = dot.getRhs().getDefiningOp() != load;
          if (!rows || (rows->buffer.elementBytes() != 2 && rows->buffer.getFast() != unsigned(isTransposed)))
            return false;
          kind.rows.push_back(*rows);
        }
    return true;
  }

  bool haveSameBuffers() {
    return llvm::all_of(loops, [&](AttentionLoop &each) {
      return llvm::all_of(llvm::zip(each.kinds, loops[0].kinds),
                          [](auto kinds) { return std::get<0>(kinds).buffers() == std::get<1>(kinds).buffers(); });
    });
  }

  bool addToSlice(ProductsOfKind &kind) {
    if (isByPointers)
      return llvm::all_of(kind.rows, [&](const TileRows &tile) { return slice->add(tile); });
    return llvm::all_of(kind.blocks(), [&](tile::DescLoadOp block) { return slice->add(block); });
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
      for (warp::BufferType type : kind.buffers())
        bytes += type.slotBytes();
    slots = stagesOf(loops[0].loop, options);
    while (slots >= 2 && slots * bytes + reserve > options.target.sharedBytes)
      --slots;
    return slots >= 2;
  }

  void rewrite() {
    auto makeRings = [&](OpBuilder &builder) -> llvm::SmallVector<Ring *> {
      unsigned arrivals = isByPointers ? kProducerWarps * options.target.warpSize : 1;
      for (auto [ring, kind] : llvm::zip(rings, loops[0].kinds))
        ring = makeRing(builder, kernel.getLoc(), kind.buffers(), slots, arrivals, options.numWarps);
      return {&rings[0], &rings[1]};
    };
    auto fill = [&](OpBuilder &builder, IRMapping &mapping, scf::ForOp from, ValueRange state) {
      AttentionLoop &each = *llvm::find_if(loops, [&](AttentionLoop &loop) { return loop.loop == from; });
      for (auto [kind, ring] : llvm::zip(each.kinds, rings))
        if (isByPointers)
          fillSlot(builder, from.getLoc(), ring, kind.rows, mapping, state[0], state[1]);
        else
          fillSlot(builder, from.getLoc(), ring, kind.blocks(), mapping, state[0], state[1]);
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
      for (auto [dot, load, buffer] : llvm::zip(kind.dots, kind.loads, ring.buffers)) {
        Operation *right = dot.getRhs().getDefiningOp();
        builder.setInsertionPoint(dot);
        Value tile = warp::ReadOp::create(builder, load->getLoc(), load->getResult(0).getType(), buffer, slot);
        if (right != load)
          right->moveBefore(dot);
        builder.replaceOp(load, tile);
      }
      builder.setInsertionPointAfter(kind.dots.back());
      warp::ArriveOp::create(builder, loc, ring.empty, slot, Value());
    }
    builder.setInsertionPoint(yield);
    yield->setOperands(yield->getNumOperands() - 2, 2, nextSlotAndPhase(builder, loc, slot, phase, slots));
  }

  func::FuncOp kernel;
  const Options &options;
  std::vector<AttentionLoop> loops;
  std::unique_ptr<ProducerSlice> slice;
  Ring rings[2]; // keys, values
  unsigned slots = 0;
  bool isByPointers = false; // keys and values: no blocks
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
