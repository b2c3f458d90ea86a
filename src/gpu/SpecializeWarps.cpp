// SpecializeWarps.cpp: the producer is the part of the kernel that says which blocks come next; the consumer is the
// kernel itself, which waits for them. The loops of both carry the slot and the parity of its barriers along, so that
// copies for the next tile start while the last one is being stored.
//
//   before  for tile { for k { %a = desc_load;  %b = desc_load;  %c = tile.dot %a, %b, %c };  store %c }
//   after   producer { for tile { for k { wait until slot is empty;  copy a, b into slot } } }
//           consumer { for tile { for k { wait until slot is full;  %c = tile.dot …;  slot before is empty };  store %c } }
#include "gpu/SpecializeWarps.h"

#include "gpu/DotPlan.h"
#include "gpu/PipelineLoops.h"
#include "gpu/ProducerSlice.h"
#include "gpu/Slots.h"
#include "gpu/TensorMaps.h"
#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class Specializer {
public:
  Specializer(func::FuncOp kernel, const Options &options) : kernel(kernel), options(options) {}

  void run() {
    if (options.capability() != 90 || (options.numWarps != 4 && options.numWarps != 8) || !findProduct() ||
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
  // One product in the kernel, that adds to what its loop carries.
  bool findProduct() {
    unsigned count = 0;
    bool isOdd = false;
    kernel.walk([&](Operation *op) {
      if (auto product = dyn_cast<tile::DotOp>(op))
        dot = product, ++count;
      isOdd |= isa<tile::AssertOp, tile::PrintOp, scf::WhileOp, tile::InlineAsmOp, tile::GridDependencyOp>(op);
    });
    if (count != 1 || isOdd || !usesWgmma(dot, options))
      return false;
    loop = dyn_cast<scf::ForOp>(dot->getParentOp());
    if (!loop || !loop.getBody()->getOps<tile::BarrierOp>().empty())
      return false;
    auto acc = dyn_cast<BlockArgument>(dot.getAcc());
    if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse() || !dot.getResult().hasOneUse() ||
        loop.getTiedLoopYieldedValue(acc)->get() != dot.getResult())
      return false;
    for (Operation *op = loop->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp())
      if (auto outer = dyn_cast<scf::ForOp>(op))
        outers.insert(outers.begin(), outer);
      else
        return false;
    return true;
  }

  // Both operands straight from blocks that the copy engine moves, and nothing else is loaded in the loop.
  bool findBlocks() {
    for (unsigned index : {0u, 1u}) {
      Value operand = dot->getOperand(index);
      bool isTransposed = false;
      if (auto trans = operand.getDefiningOp<tile::TransOp>(); trans && trans.getOrder() == ArrayRef<int32_t>{1, 0}) {
        operand = trans.getSource();
        isTransposed = true;
      }
      auto block = operand.getDefiningOp<tile::DescLoadOp>();
      if (!block || block->getBlock() != loop.getBody() || !isMarkedBlock(block) || !operand.hasOneUse())
        return false;
      // Along K, or of a type that tensor cores read both ways.
      bool isAlongK = (index == 0) != isTransposed;
      if (!isAlongK && block.getType().getElementTypeBitWidth() != 16)
        return false;
      blocks.push_back(block);
    }
    return llvm::all_of(*loop.getBody(), [&](Operation &op) {
      return isMemoryEffectFree(&op) || llvm::is_contained(blocks, dyn_cast<tile::DescLoadOp>(op));
    });
  }

  bool isWanted() {
    auto asks = [](scf::ForOp loop) {
      auto option = loop->getAttrOfType<BoolAttr>("tile.warp_specialize");
      return option && option.getValue();
    };
    // By itself where two groups of warps compute: one of them goes on while the other one stores. With one group,
    // two blocks on a multiprocessor do better.
    return asks(loop) || llvm::any_of(outers, asks) || (!outers.empty() && options.numWarps == 8);
  }

  warp::BufferType bufferOf(RankedTensorType type, unsigned slots) {
    unsigned bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
    unsigned swizzle = layout::widestSwizzle(type.getShape(), bytes, {1, 0});
    return warp::BufferType::get(kernel.getContext(), type.getShape(), type.getElementType(), slots, 1, swizzle);
  }

  // Beside the slots the results leave through shared memory.
  bool fit() {
    uint64_t bytes = 0, reserve = 1024 + resultBytes();
    for (tile::DescLoadOp block : blocks)
      bytes += bufferOf(block.getType(), 1).slotBytes();
    // What was asked for, before something did not fit.
    unsigned asked = stagesOf(loop->hasAttr("tile.num_stages") || outers.empty() ? loop : outers.back(), options);
    asked += options.stagesCut;
    if (asked < 2)
      return false;
    // With so many threads there is one block on a multiprocessor, and its memory is all ours.
    slots = options.numWarps == 8 ? std::max(asked, kWantedSlots) : asked;
    while (slots >= 2 && slots * bytes + reserve > sharedMemoryLimit(options))
      --slots;
    slots -= std::min(slots, options.stagesCut);
    return slots >= 2;
  }

  // Of a tile that is stored by pointers: it goes through another layout.
  static uint64_t bytesOf(Value tile) {
    auto type = dyn_cast<RankedTensorType>(tile.getType());
    return type && type.getElementType().isIntOrFloat() ? uint64_t(type.getNumElements()) * type.getElementTypeBitWidth() / 8
                                                        : 0;
  }

  uint64_t resultBytes() {
    uint64_t most = 0;
    kernel.walk([&](Operation *op) {
      if (auto store = dyn_cast<tile::DescStoreOp>(op))
        most = std::max(most, isMarkedBlock(op) ? storeBuffer(store.getValue().getType()).slotBytes() * kStoreSlots
                                                : bytesOf(store.getValue()));
      else if (auto store = dyn_cast<tile::StoreOp>(op))
        most = std::max(most, bytesOf(store.getValue()));
    });
    return most;
  }

  Value constant(OpBuilder &builder, int32_t value) {
    return arith::ConstantOp::create(builder, kernel.getLoc(), builder.getI32IntegerAttr(value));
  }

  void rewrite() {
    Location loc = kernel.getLoc();
    Block &entry = kernel.getBody().front();
    IRRewriter builder(kernel.getContext());
    llvm::SmallVector<Operation *> body;
    for (Operation &op : entry.without_terminator())
      body.push_back(&op);
    builder.setInsertionPointToStart(&entry);
    for (tile::DescLoadOp block : blocks)
      buffers.push_back(warp::AllocOp::create(builder, loc, bufferOf(block.getType(), slots)));
    auto type = warp::BarriersType::get(kernel.getContext(), slots);
    full = warp::MakeBarriersOp::create(builder, loc, type, 1);
    empty = warp::MakeBarriersOp::create(builder, loc, type, options.numWarps);
    auto parts = warp::SpecializeOp::create(builder, loc);
    Block *producer = builder.createBlock(&parts.getProducer());
    Block *consumer = builder.createBlock(&parts.getConsumer());
    builder.setInsertionPointToEnd(producer);
    slice->emit(builder, {constant(builder, 0), constant(builder, 0)},
                [&](OpBuilder &inside, IRMapping &mapping, scf::ForOp, ValueRange state) {
                  return produce(inside, mapping, state);
                });
    warp::DoneOp::create(builder, loc);
    builder.setInsertionPointToEnd(consumer);
    warp::DoneOp::create(builder, loc);
    for (Operation *op : body)
      op->moveBefore(consumer->getTerminator());
    consume(builder, consumer);
    builder.setInsertionPointAfter(parts);
    for (Value buffer : buffers)
      warp::ReleaseOp::create(builder, loc, buffer);
    warp::ReleaseOp::create(builder, loc, full);
    warp::ReleaseOp::create(builder, loc, empty);
  }

  // The end of the producer's turn. `state` is the slot and the parity.
  llvm::SmallVector<Value> produce(OpBuilder &builder, IRMapping &mapping, ValueRange state) {
    Location loc = loop.getLoc();
    Value slot = state[0], phase = state[1];
    // The first time round all slots are empty: the phase before the first one counts as ended.
    Value other = arith::XOrIOp::create(builder, loc, phase, constant(builder, 1));
    warp::WaitPhaseOp::create(builder, loc, empty, slot, other);
    uint64_t bytes = 0;
    for (tile::DescLoadOp block : blocks)
      bytes += uint64_t(block.getType().getNumElements()) * block.getType().getElementTypeBitWidth() / 8;
    warp::ExpectOp::create(builder, loc, full, slot, uint32_t(bytes), Value());
    for (auto [block, buffer] : llvm::zip(blocks, buffers)) {
      llvm::SmallVector<Value> indices;
      for (Value index : block.getIndices())
        indices.push_back(mapping.lookupOrDefault(index));
      Value map = makeTensorMap(builder, loc, block.getDesc(), cast<warp::BufferType>(buffer.getType()), &mapping);
      warp::CopyBlockOp::create(builder, loc, map, indices, buffer, full, slot, Value());
    }
    Value next = nextSlot(builder, loc, slot, slots);
    return {next, nextPhase(builder, loc, next, phase)};
  }

  void consume(IRRewriter &builder, Block *consumer) {
    builder.setInsertionPointToStart(consumer);
    llvm::SmallVector<Value> state{constant(builder, 0), constant(builder, 0)};
    llvm::SmallVector<scf::ForOp> carrying;
    for (scf::ForOp outer : outers) {
      carrying.push_back(carry(builder, outer, state));
      auto arguments = carrying.back().getRegionIterArgs().take_back(2);
      state.assign(arguments.begin(), arguments.end());
    }
    loop = carry(builder, loop, state);
    consumeTurn(builder);
    // What the inner loop gives is what the outer one goes on with.
    scf::ForOp inner = loop;
    for (scf::ForOp outer : llvm::reverse(carrying)) {
      Operation *yield = outer.getBody()->getTerminator();
      for (unsigned i : {0u, 1u})
        yield->setOperand(yield->getNumOperands() - 2 + i, inner.getResults()[inner.getNumResults() - 2 + i]);
      inner = outer;
    }
  }

  scf::ForOp carry(IRRewriter &builder, scf::ForOp from, ValueRange state) {
    auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return llvm::SmallVector<Value>(arguments.begin(), arguments.end());
    };
    builder.setInsertionPoint(from);
    return cast<scf::ForOp>(from.replaceWithAdditionalYields(builder, state, false, same)->getOperation());
  }

  void consumeTurn(IRRewriter &builder) {
    Location loc = loop.getLoc();
    Operation *yield = loop.getBody()->getTerminator();
    Value slot = loop.getRegionIterArgs().take_back(2)[0], phase = loop.getRegionIterArgs().take_back(2)[1];
    builder.setInsertionPointToStart(loop.getBody());
    warp::WaitPhaseOp::create(builder, loc, full, slot, phase);
    for (auto [block, buffer] : llvm::zip(blocks, buffers)) {
      builder.setInsertionPoint(block);
      builder.replaceOp(block, warp::ReadOp::create(builder, block.getLoc(), block.getType(), buffer, slot).getResult());
    }
    dot->setAttr(kAsyncAttribute, builder.getUnitAttr());
    loop->setAttr(kDrainAttribute, builder.getUnitAttr());
    // The product of the turn before is done with its slot.
    builder.setInsertionPointAfter(dot);
    warp::AwaitOp::create(builder, loc, TypeRange(), ValueRange(), 1);
    builder.setInsertionPoint(yield);
    Value isLater = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loop.getInductionVar(),
                                          loop.getLowerBound());
    warp::ArriveOp::create(builder, loc, empty, previousSlot(builder, loc, slot, slots), isLater);
    Value next = nextSlot(builder, loc, slot, slots);
    yield->setOperand(yield->getNumOperands() - 2, next);
    yield->setOperand(yield->getNumOperands() - 1, nextPhase(builder, loc, next, phase));
    builder.setInsertionPointAfter(loop);
    Value last = previousSlot(builder, loc, loop.getResults()[loop.getNumResults() - 2], slots);
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value hasRun = arith::CmpIOp::create(builder, loc, predicate, loop.getLowerBound(), loop.getUpperBound());
    warp::ArriveOp::create(builder, loc, empty, last, hasRun);
  }

  static constexpr unsigned kWantedSlots = 6;

  func::FuncOp kernel;
  const Options &options;
  tile::DotOp dot;
  scf::ForOp loop;
  llvm::SmallVector<scf::ForOp> outers; // around the loop, the outermost first
  llvm::SmallVector<tile::DescLoadOp> blocks;
  llvm::SmallVector<Value> buffers;
  std::unique_ptr<ProducerSlice> slice;
  Value full, empty;
  unsigned slots = 0;
};

} // namespace

void specializeWarps(func::FuncOp kernel, const Options &options) { Specializer(kernel, options).run(); }

warp::SpecializeOp specializationOf(func::FuncOp kernel) {
  auto found = kernel.getBody().front().getOps<warp::SpecializeOp>();
  return found.empty() ? warp::SpecializeOp() : *found.begin();
}

} // namespace nereid::gpu
