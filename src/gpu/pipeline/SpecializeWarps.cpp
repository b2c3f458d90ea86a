// SpecializeWarps.cpp: the producer is the part of the kernel that says which blocks come next; the consumer is the
// kernel itself, which waits for them. The loops of both carry the slot and the parity of its barriers along, so that
// copies for the next tile start while the last one is being stored.
//
//   before  for tile { for k { %a = desc_load;  %b = desc_load;  %c = tile.dot %a, %b, %c };  store %c }
//   after   producer { for tile { for k { wait until slot is empty;  copy a, b into slot } } }
//           consumer { for tile { for k { wait until slot is full;  %c = tile.dot …;  slot before is empty };  store %c } }
//
// A product that is not added up as it is (scales of blocks: %c += dot(%a, %b) * %scale) is awaited in its iteration: the groups
// of warps need not walk in step then, and one of them has the tensor cores while another one scales. What stands between that work
// and the next product is what counts: the next blocks are asked for before it.
#include "gpu/pipeline/SpecializeWarps.h"

#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/memory/StoreBlocks.h"
#include "gpu/memory/TensorMaps.h"
#include "gpu/pipeline/Ring.h"
#include "gpu/pipeline/Slots.h"
#include "gpu/products/DotPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class Specializer {
public:
  Specializer(func::FuncOp kernel, const Options &options) : kernel(kernel), options(options) {}

  void run() {
    if (!options.target.hasTma || (options.numWarps != 4 && options.numWarps != 8) || !findProducts() ||
        !findBlocks() || !isWanted())
      return;
    slice = std::make_unique<ProducerSlice>(kernel, loop);
    for (tile::DescLoadOp block : blocks)
      if (!slice->add(block))
        return;
    if (!fit())
      return;
    rewrite();
  }

private:
  // All products of the kernel are in one loop, and each of them adds to what that carries, or none does.
  bool findProducts() {
    kernel.walk([&](tile::DotOp dot) { products.push_back(dot); });
    loop = products.empty() ? scf::ForOp() : dyn_cast<scf::ForOp>(products.front()->getParentOp());
    if (!loop || hasOpsForAllWarps(kernel) || !loop.getBody()->getOps<tile::BarrierOp>().empty())
      return false;
    auto isSuitable = [&](tile::DotOp dot) { return dot->getParentOp() == loop && usesWgmma(dot, options); };
    unsigned carried = llvm::count_if(products, [&](tile::DotOp dot) { return isCarried(dot); });
    if (!llvm::all_of(products, isSuitable) || (carried && carried != products.size()))
      return false;
    goOn = carried && llvm::all_of(products, maySpan);
    for (Operation *op = loop->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp())
      if (auto outer = dyn_cast<scf::ForOp>(op))
        outers.insert(outers.begin(), outer);
      else
        return false;
    return true;
  }

  // Nothing else touches the sum: the product can go on into the next iteration.
  bool isCarried(tile::DotOp dot) {
    auto acc = dyn_cast<BlockArgument>(dot.getAcc());
    return acc && acc.getOwner() == loop.getBody() && acc.hasOneUse() && dot.getResult().hasOneUse() &&
           loop.getTiedLoopYieldedValue(acc)->get() == dot.getResult();
  }

  // All operands straight from blocks that TMA moves, with the places of a sparse one. What else is loaded by pointers the
  // consumers load.
  bool findBlocks() {
    for (tile::DotOp dot : products)
      for (unsigned index : {0u, 1u, 3u}) {
        if (index >= dot->getNumOperands())
          break;
        tile::DescLoadOp block = operandBlock(dot, index);
        if (!block || (index < 2 && !isForProducts(block.getResult())))
          return false;
        if (!llvm::is_contained(blocks, block))
          blocks.push_back(block);
      }
    // Others beside them, such as scales, are read into registers before the slot is given back.
    for (auto block : loop.getBody()->getOps<tile::DescLoadOp>())
      if (isMarkedBlock(block) && block->isBeforeInBlock(products.back()) && !llvm::is_contained(blocks, block))
        blocks.push_back(block);
    return llvm::all_of(*loop.getBody(), [&](Operation &op) {
      if (auto block = dyn_cast<tile::DescLoadOp>(op))
        return llvm::is_contained(blocks, block);
      auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      return isMemoryEffectFree(&op) || (effects && effects.onlyHasEffect<MemoryEffects::Read>());
    });
  }

  // Several products may share a block.
  bool isForProducts(Value tile) {
    return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
      if (auto trans = dyn_cast<tile::TransOp>(use.getOwner()))
        return isForProducts(trans.getResult());
      auto dot = dyn_cast<tile::DotOp>(use.getOwner());
      return dot && use.getOperandNumber() < 2 && operandBlock(dot, use.getOperandNumber());
    });
  }

  bool isWanted() {
    auto asks = [](scf::ForOp loop) {
      auto option = loop->getAttrOfType<BoolAttr>("tile.warp_specialize");
      return option && option.getValue();
    };
    // By itself where two groups of warps compute: one of them goes on while the other one stores. With one group,
    // two blocks on a multiprocessor do better.
    bool isOwnChoice = options.numWarps == 8 && (!outers.empty() || (!goOn && fillsRegisters()));
    return asks(loop) || llvm::any_of(outers, asks) || isOwnChoice;
  }

  // Whether sums and products leave no registers for a second block on the multiprocessor.
  bool fillsRegisters() {
    int64_t sums = 0, most = 0;
    for (tile::DotOp dot : products) {
      sums += dot.getType().getNumElements();
      most = std::max(most, dot.getType().getNumElements());
    }
    return sums + most >= kRegistersOfTwoBlocks * 32 * int64_t(options.numWarps);
  }

  // Beside the slots the results leave through shared memory.
  bool fit() {
    uint64_t bytes = 0, reserve = 1024 + resultBytes();
    for (tile::DescLoadOp block : blocks)
      bytes += blockBuffer(block.getType(), 1).slotBytes();
    // What was asked for, before something did not fit.
    unsigned asked = stagesOf(loop->hasAttr("tile.num_stages") || outers.empty() ? loop : outers.back(), options);
    asked += options.stagesCut;
    if (asked < 2)
      return false;
    // With so many threads there is one block on a multiprocessor, and its memory is all ours.
    slots = options.numWarps == 8 ? std::max(asked, kWantedSlots) : asked;
    while (slots >= 2 && slots * bytes + reserve > options.target.sharedBytes)
      --slots;
    slots -= std::min(slots, options.stagesCut);
    return slots >= 2;
  }

  // Of a tile that is stored by pointers: it goes through another layout.
  static uint64_t bytesOf(Value tile) {
    auto type = dyn_cast<RankedTensorType>(tile.getType());
    return type && type.getElementType().isIntOrFloat()
               ? uint64_t(type.getNumElements()) * type.getElementTypeBitWidth() / 8
               : 0;
  }

  uint64_t resultBytes() {
    uint64_t most = 0;
    kernel.walk([&](Operation *op) {
      if (auto write = dyn_cast<tile::BlockWriteOpInterface>(op)) {
        bool isInParts = isMarkedBlock(op) && !write.combination(); // see StoreBlocks.cpp
        most = std::max(most, isInParts ? storeBuffer(write.getValue().getType()).slotBytes() * kStoreSlots
                                        : bytesOf(write.getValue()));
      }
      if (auto store = dyn_cast<tile::StoreOp>(op))
        most = std::max(most, bytesOf(store.getValue()));
    });
    return most;
  }

  void rewrite() {
    auto makeRings = [&](OpBuilder &builder) -> llvm::SmallVector<Ring *> {
      llvm::SmallVector<warp::BufferType> types;
      for (tile::DescLoadOp block : blocks)
        types.push_back(blockBuffer(block.getType(), 1));
      ring = makeRing(builder, kernel.getLoc(), types, slots, /*arrivals=*/1, options.numWarps, /*canPass=*/!goOn);
      return {&ring};
    };
    auto fill = [&](OpBuilder &builder, IRMapping &mapping, scf::ForOp from, ValueRange state) {
      fillSlot(builder, from.getLoc(), ring, blocks, mapping, state[0], state[1]);
      return nextSlotAndPhase(builder, from.getLoc(), state[0], state[1], slots);
    };
    partKernel(kernel, makeRings, *slice, fill,
               [&](IRRewriter &builder, llvm::SmallVector<Value> state) { consume(builder, state); });
  }

  void consume(IRRewriter &builder, llvm::SmallVector<Value> &state) {
    llvm::SmallVector<scf::ForOp> carrying;
    for (scf::ForOp outer : outers) {
      carrying.push_back(carryAlong(builder, outer, state));
      auto arguments = carrying.back().getRegionIterArgs().take_back(2);
      state.assign(arguments.begin(), arguments.end());
    }
    if (!goOn)
      waitForFirst(builder, state);
    loop = carryAlong(builder, loop, state);
    consumeIteration(builder);
    // What the inner loop gives is what the outer one goes on with.
    scf::ForOp inner = loop;
    for (scf::ForOp outer : llvm::reverse(carrying)) {
      outer.getBody()->getTerminator()->setOperands(outer.getNumResults() - 2, 2, inner.getResults().take_back(2));
      inner = outer;
    }
  }

  void consumeIteration(IRRewriter &builder) {
    Location loc = loop.getLoc();
    Operation *yield = loop.getBody()->getTerminator();
    Value slot = loop.getRegionIterArgs().take_back(2)[0], phase = loop.getRegionIterArgs().take_back(2)[1];
    if (goOn) {
      builder.setInsertionPointToStart(loop.getBody());
      warp::WaitPhaseOp::create(builder, loc, ring.full, slot, phase);
    }
    for (auto [block, buffer] : llvm::zip(blocks, ring.buffers)) {
      builder.setInsertionPoint(block);
      builder.replaceOp(block,
                        warp::ReadOp::create(builder, block.getLoc(), block.getType(), buffer, slot).getResult());
    }
    builder.setInsertionPoint(yield);
    llvm::SmallVector<Value> next = nextSlotAndPhase(builder, loc, slot, phase, slots);
    yield->setOperands(yield->getNumOperands() - 2, 2, next);
    if (!goOn)
      waitForNext(builder, next);
    builder.setInsertionPointAfter(products.back());
    if (goOn) {
      releaseLater(builder, slot);
      return;
    }
    for (tile::DotOp dot : products)
      dot->setAttr(warp::kFreeAttribute, builder.getUnitAttr());
    warp::ArriveOp::create(builder, loc, ring.empty, slot, Value());
  }

  arith::CmpIPredicate isLess() {
    return loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  }

  // Threads work on the last product when its iteration ends: the wait for the next blocks is asked for before that, and over behind it.
  void waitForFirst(IRRewriter &builder, ValueRange state) {
    builder.setInsertionPoint(loop);
    Value runs = arith::CmpIOp::create(builder, loop.getLoc(), isLess(), loop.getLowerBound(), loop.getUpperBound());
    waitForSlot(builder, loop.getLoc(), ring, state[0], state[1], runs);
  }

  void waitForNext(IRRewriter &builder, ValueRange next) {
    // How many iterations are left: the index itself may wrap around behind the last one.
    Location loc = loop.getLoc();
    Value left = arith::SubIOp::create(builder, loc, loop.getUpperBound(), loop.getInductionVar());
    Value goesOn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left, loop.getStep());
    waitForSlot(builder, loc, ring, next[0], next[1], goesOn);
  }

  // Products go on into the next iteration: those of the iteration before are done with their slot.
  void releaseLater(IRRewriter &builder, Value slot) {
    Location loc = loop.getLoc();
    for (tile::DotOp dot : products)
      dot->setAttr(warp::kAsyncAttribute, builder.getUnitAttr());
    loop->setAttr(warp::kDrainAttribute, builder.getUnitAttr());
    warp::AwaitOp::create(builder, loc, TypeRange(), ValueRange(), unsigned(products.size()));
    Value isLater =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loop.getInductionVar(), loop.getLowerBound());
    warp::ArriveOp::create(builder, loc, ring.empty, previousSlot(builder, loc, slot, slots), isLater);
    builder.setInsertionPointAfter(loop);
    Value last = previousSlot(builder, loc, loop.getResults()[loop.getNumResults() - 2], slots);
    Value hasRun = arith::CmpIOp::create(builder, loc, isLess(), loop.getLowerBound(), loop.getUpperBound());
    warp::ArriveOp::create(builder, loc, ring.empty, last, hasRun);
  }

  static constexpr unsigned kWantedSlots = 6;
  static constexpr int64_t kRegistersOfTwoBlocks = 128;

  func::FuncOp kernel;
  const Options &options;
  llvm::SmallVector<tile::DotOp> products; // of an iteration, in their order
  bool goOn = false;                       // into the next one
  scf::ForOp loop;
  llvm::SmallVector<scf::ForOp> outers; // around the loop, the outermost first
  llvm::SmallVector<tile::DescLoadOp> blocks;
  std::unique_ptr<ProducerSlice> slice;
  Ring ring;
  unsigned slots = 0;
};

} // namespace

warp::SpecializeOp specializationOf(func::FuncOp kernel) {
  auto found = kernel.getBody().front().getOps<warp::SpecializeOp>();
  return found.empty() ? warp::SpecializeOp() : *found.begin();
}

bool copiesRows(warp::SpecializeOp parts) {
  return parts.getProducer().walk([](warp::CopyRowsOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

namespace {

struct SpecializeWarpsPass : PlanPass<SpecializeWarpsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpecializeWarpsPass)
  StringRef getArgument() const final { return "warp-specialize-warps"; }
  StringRef getDescription() const final {
    return "Part a kernel into a producer of blocks and the warps that compute";
  }
  void runOnOperation() final { Specializer(getOperation(), options()).run(); }
};

} // namespace

PassPtr createSpecializeWarpsPass(const Options &options) { return std::make_unique<SpecializeWarpsPass>(options); }

} // namespace nereid::gpu
