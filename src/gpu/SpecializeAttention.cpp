// SpecializeAttention.cpp: a producer brings keys and values for loops with two products, so that the warp groups of the
// consumer need not wait for each other: one computes its softmax while the other has the tensor cores.
//
//   before  for k { %k = desc_load;  %s = dot %q, %k;  …;  %v = desc_load;  %o = dot %p, %v, … }
//   after   producer { for k { wait until slot of K is empty;  copy K;  the same for V } }
//           consumer { for k { wait for K;  %s = dot %q, %k;  K is empty;  …;  wait for V;  %o = …;  V is empty } }
//
// Several such loops one behind the other (blocks with and without a mask) go on with the same slots.
#include "gpu/SpecializeWarps.h"

#include "gpu/DotPlan.h"
#include "gpu/PipelineLoops.h"
#include "gpu/ProducerSlice.h"
#include "gpu/ScheduleProducts.h"
#include "gpu/Slots.h"
#include "gpu/TensorMaps.h"
#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

// Tiles that one product of each loop takes: keys or values.
struct Ring {
  Value buffer, full, empty;
};

struct AttentionLoop {
  scf::ForOp loop;
  tile::DotOp products[2];
  tile::DescLoadOp blocks[2]; // the right operands
};

class AttentionSpecializer {
public:
  AttentionSpecializer(func::FuncOp kernel, const Options &options) : kernel(kernel), options(options) {}

  void run() {
    if (options.capability() != 90 || options.numWarps != 8 || !findLoops())
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
    bool isOdd = false;
    kernel.walk([&](Operation *op) {
      isOdd |= isa<tile::AssertOp, tile::PrintOp, scf::WhileOp, tile::InlineAsmOp, tile::BarrierOp,
                   tile::GridDependencyOp>(op); // the producer does not meet those
      auto dot = dyn_cast<tile::DotOp>(op);
      if (!dot)
        return;
      auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
      isOdd |= !loop || !isa<func::FuncOp>(loop->getParentOp());
      if (loop && (loops.empty() || loops.back().loop != loop))
        isOdd |= !add(loop);
    });
    return !isOdd && !loops.empty();
  }

  bool add(scf::ForOp loop) {
    auto dots = llvm::to_vector(loop.getBody()->getOps<tile::DotOp>());
    if (dots.size() != 2 || !loop.getBody()->getOps<tile::LoadOp>().empty())
      return false;
    AttentionLoop found{loop, {dots[0], dots[1]}, {}};
    for (auto [dot, block] : llvm::zip(found.products, found.blocks)) {
      block = blockOf(dot);
      if (!block || !usesWgmma(dot, options))
        return false;
    }
    Operation *left = dots[0].getLhs().getDefiningOp();
    bool isChain = left && !loop->isAncestor(left) && staysInRegisters(dots[1]) && dots[1].getResult().hasOneUse();
    int64_t threads = options.numWarps * 32, scores = dots[0].getType().getNumElements(),
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

  // The block of a described tensor that is the right operand.
  tile::DescLoadOp blockOf(tile::DotOp dot) {
    Value operand = dot.getRhs();
    bool isTransposed = false;
    if (auto trans = operand.getDefiningOp<tile::TransOp>(); trans && trans.getOrder() == ArrayRef<int32_t>{1, 0}) {
      operand = trans.getSource();
      isTransposed = true;
    }
    auto block = operand.getDefiningOp<tile::DescLoadOp>();
    bool isRight = block && block->getParentOp() == dot->getParentOp() && isMarkedBlock(block) && operand.hasOneUse();
    return isRight && (isTransposed || block.getType().getElementTypeBitWidth() == 16) ? block : tile::DescLoadOp();
  }

  warp::BufferType bufferOf(unsigned index, unsigned count) {
    RankedTensorType type = loops[0].blocks[index].getType();
    unsigned bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
    unsigned swizzle = layout::widestSwizzle(type.getShape(), bytes, {1, 0});
    return warp::BufferType::get(kernel.getContext(), type.getShape(), type.getElementType(), count, 1, swizzle);
  }

  // Beside the queries.
  bool fit() {
    RankedTensorType queries = loops[0].products[0].getLhs().getType();
    uint64_t reserve = 1024 + uint64_t(queries.getNumElements()) * queries.getElementTypeBitWidth() / 8;
    uint64_t bytes = bufferOf(0, 1).slotBytes() + bufferOf(1, 1).slotBytes();
    slots = stagesOf(loops[0].loop, options);
    while (slots >= 2 && slots * bytes + reserve > sharedMemoryLimit(options))
      --slots;
    return slots >= 2;
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
    auto type = warp::BarriersType::get(kernel.getContext(), slots);
    for (auto [i, ring] : llvm::enumerate(rings)) {
      ring.buffer = warp::AllocOp::create(builder, loc, bufferOf(unsigned(i), slots));
      ring.full = warp::MakeBarriersOp::create(builder, loc, type, 1);
      ring.empty = warp::MakeBarriersOp::create(builder, loc, type, options.numWarps);
    }
    auto parts = warp::SpecializeOp::create(builder, loc);
    Block *producer = builder.createBlock(&parts.getProducer());
    Block *consumer = builder.createBlock(&parts.getConsumer());
    builder.setInsertionPointToEnd(producer);
    slice->emit(builder, {constant(builder, 0), constant(builder, 0)},
                [&](OpBuilder &inside, IRMapping &mapping, scf::ForOp loop, ValueRange state) {
                  return produce(inside, mapping, loop, state);
                });
    warp::DoneOp::create(builder, loc);
    builder.setInsertionPointToEnd(consumer);
    warp::DoneOp::create(builder, loc);
    for (Operation *op : body)
      op->moveBefore(consumer->getTerminator());
    consume(builder, consumer);
    builder.setInsertionPointAfter(parts);
    for (Ring &ring : rings)
      for (Value value : {ring.buffer, ring.full, ring.empty})
        warp::ReleaseOp::create(builder, loc, value);
  }

  // The end of the producer's turn. `state` is the slot and the parity.
  llvm::SmallVector<Value> produce(OpBuilder &builder, IRMapping &mapping, scf::ForOp from, ValueRange state) {
    Location loc = from.getLoc();
    Value slot = state[0], phase = state[1];
    // The first time round all slots are empty: the phase before the first one counts as ended.
    Value other = arith::XOrIOp::create(builder, loc, phase, constant(builder, 1));
    AttentionLoop &each = *llvm::find_if(loops, [&](AttentionLoop &loop) { return loop.loop == from; });
    for (auto [block, ring] : llvm::zip(each.blocks, rings)) {
      warp::WaitPhaseOp::create(builder, loc, ring.empty, slot, other);
      uint64_t bytes = uint64_t(block.getType().getNumElements()) * block.getType().getElementTypeBitWidth() / 8;
      warp::ExpectOp::create(builder, loc, ring.full, slot, uint32_t(bytes), Value());
      llvm::SmallVector<Value> indices;
      for (Value index : block.getIndices())
        indices.push_back(mapping.lookupOrDefault(index));
      Value map = makeTensorMap(builder, loc, block.getDesc(), cast<warp::BufferType>(ring.buffer.getType()), &mapping);
      warp::CopyBlockOp::create(builder, loc, map, indices, ring.buffer, ring.full, slot, Value());
    }
    Value next = nextSlot(builder, loc, slot, slots);
    return {next, nextPhase(builder, loc, next, phase)};
  }

  void consume(IRRewriter &builder, Block *consumer) {
    builder.setInsertionPointToStart(consumer);
    llvm::SmallVector<Value> state{constant(builder, 0), constant(builder, 0)};
    auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return llvm::SmallVector<Value>(arguments.begin(), arguments.end());
    };
    for (AttentionLoop &each : loops) {
      builder.setInsertionPoint(each.loop);
      each.loop =
          cast<scf::ForOp>(each.loop.replaceWithAdditionalYields(builder, state, false, same)->getOperation());
      consumeTurn(builder, each);
      auto results = each.loop.getResults().take_back(2);
      state.assign(results.begin(), results.end());
      each.loop->setAttr(kLagAttribute, builder.getUnitAttr());
    }
  }

  // Each product waits for its tile, and says that it is done with it.
  void consumeTurn(IRRewriter &builder, AttentionLoop &each) {
    Location loc = each.loop.getLoc();
    Operation *yield = each.loop.getBody()->getTerminator();
    Value slot = each.loop.getRegionIterArgs().take_back(2)[0], phase = each.loop.getRegionIterArgs().take_back(2)[1];
    for (auto [dot, block, ring] : llvm::zip(each.products, each.blocks, rings)) {
      Operation *right = dot.getRhs().getDefiningOp();
      builder.setInsertionPoint(dot);
      warp::WaitPhaseOp::create(builder, loc, ring.full, slot, phase);
      Value tile = warp::ReadOp::create(builder, block.getLoc(), block.getType(), ring.buffer, slot);
      if (right != block)
        right->moveBefore(dot);
      builder.replaceOp(block, tile);
      builder.setInsertionPointAfter(dot);
      warp::ArriveOp::create(builder, loc, ring.empty, slot, Value());
    }
    builder.setInsertionPoint(yield);
    Value next = nextSlot(builder, loc, slot, slots);
    yield->setOperand(yield->getNumOperands() - 2, next);
    yield->setOperand(yield->getNumOperands() - 1, nextPhase(builder, loc, next, phase));
  }

  func::FuncOp kernel;
  const Options &options;
  llvm::SmallVector<AttentionLoop> loops;
  std::unique_ptr<ProducerSlice> slice;
  Ring rings[2]; // keys, values
  unsigned slots = 0;
};

} // namespace

void specializeAttention(func::FuncOp kernel, const Options &options) { AttentionSpecializer(kernel, options).run(); }

} // namespace nereid::gpu
