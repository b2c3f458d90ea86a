#include "gpu/pipeline/Ring.h"

#include "gpu/memory/TensorMaps.h"
#include "gpu/pipeline/Slots.h"
#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

warp::BufferType blockBuffer(RankedTensorType type, unsigned slots) {
  unsigned bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
  unsigned swizzle = layout::widestSwizzle(type.getShape(), bytes, {1, 0});
  return warp::BufferType::get(type.getContext(), type.getShape(), type.getElementType(), slots, 1, swizzle);
}

tile::DescLoadOp operandBlock(tile::DotOp dot, unsigned index) {
  Value operand = dot->getOperand(index);
  bool isTransposed = false, isInRegisters = index == 3;
  if (isInRegisters)
    while (operand.getDefiningOp() && operand.getDefiningOp()->hasTrait<tile::View>() && operand.hasOneUse())
      operand = operand.getDefiningOp()->getOperand(0);
  else if (auto trans = operand.getDefiningOp<tile::TransOp>(); trans && trans.getOrder() == ArrayRef<int32_t>{1, 0}) {
    operand = trans.getSource();
    isTransposed = true;
  }
  auto block = operand.getDefiningOp<tile::DescLoadOp>();
  if (!block || block->getBlock() != dot->getBlock() || !isMarkedBlock(block) ||
      (isInRegisters && !operand.hasOneUse()))
    return {};
  // Along K, or of a type that tensor cores read both ways.
  bool isAlongK = (index == 0) != isTransposed;
  return isAlongK || isInRegisters || block.getType().getElementTypeBitWidth() == 16 ? block : tile::DescLoadOp();
}

bool hasOpsForAllWarps(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool isForAll = op->hasTrait<tile::AllThreads>() || isa<scf::WhileOp>(op);
        return isForAll ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

Ring makeRing(OpBuilder &builder, Location loc, ArrayRef<warp::BufferType> types, unsigned slots, unsigned arrivals,
              unsigned warps, bool canPass) {
  Ring ring;
  ring.slots = slots;
  for (warp::BufferType type : types)
    ring.buffers.push_back(
        warp::AllocOp::create(builder, loc,
                              warp::BufferType::get(builder.getContext(), type.getShape(), type.getElement(), slots,
                                                    type.getFast(), type.getSwizzle())));
  auto barriers = [&](unsigned count) { return warp::BarriersType::get(builder.getContext(), count); };
  ring.full = warp::MakeBarriersOp::create(builder, loc, barriers(slots + (canPass ? 1 : 0)), arrivals);
  ring.empty = warp::MakeBarriersOp::create(builder, loc, barriers(slots), warps);
  return ring;
}

void waitForSlot(OpBuilder &builder, Location loc, const Ring &ring, Value slot, Value phase, Value when) {
  // The phase before the first one counts as ended.
  slot = arith::SelectOp::create(builder, loc, when, slot, slotNumber(builder, loc, int32_t(ring.slots)));
  phase = arith::SelectOp::create(builder, loc, when, phase, slotNumber(builder, loc, 1));
  warp::WaitPhaseOp::create(builder, loc, ring.full, slot, phase);
}

// The first time round all slots are empty: the phase before the first one counts as ended.
static void waitUntilEmpty(OpBuilder &builder, Location loc, const Ring &ring, Value slot, Value phase) {
  Value other = arith::XOrIOp::create(builder, loc, phase, slotNumber(builder, loc, 1));
  warp::WaitPhaseOp::create(builder, loc, ring.empty, slot, other);
}

void fillSlot(OpBuilder &builder, Location loc, const Ring &ring, ArrayRef<TileRows> tiles, IRMapping &mapping,
              Value slot, Value phase) {
  waitUntilEmpty(builder, loc, ring, slot, phase);
  auto mapped = [&](Value value) { return value ? mapping.lookupOrDefault(value) : value; };
  for (auto [each, buffer] : llvm::zip(tiles, ring.buffers)) {
    tile::LoadOp load = each.load;
    warp::CopyRowsOp::create(builder, load.getLoc(), mapped(each.pointer), mapped(each.stride), buffer, slot,
                             mapped(each.rowCount), mapped(each.rowLength));
  }
  warp::ArriveCopiesOp::create(builder, loc, ring.full, slot);
}

void fillSlot(OpBuilder &builder, Location loc, const Ring &ring, ArrayRef<tile::DescLoadOp> blocks, IRMapping &mapping,
              Value slot, Value phase) {
  waitUntilEmpty(builder, loc, ring, slot, phase);
  uint64_t bytes = 0;
  for (tile::DescLoadOp block : blocks)
    bytes += uint64_t(block.getType().getNumElements()) * block.getType().getElementTypeBitWidth() / 8;
  warp::ExpectOp::create(builder, loc, ring.full, slot, uint32_t(bytes), Value());
  for (auto [each, buffer] : llvm::zip(blocks, ring.buffers)) {
    tile::DescLoadOp block = each;
    llvm::SmallVector<Value> indices;
    for (Value index : block.getIndices())
      indices.push_back(mapping.lookupOrDefault(index));
    Value map = makeTensorMap(builder, loc, block.getDesc(), cast<warp::BufferType>(buffer.getType()), &mapping);
    warp::CopyBlockOp::create(builder, block.getLoc(), map, indices, buffer, ring.full, slot, Value());
  }
}

llvm::SmallVector<Value> nextSlotAndPhase(OpBuilder &builder, Location loc, Value slot, Value phase, unsigned slots) {
  Value next = nextSlot(builder, loc, slot, slots);
  return {next, nextPhase(builder, loc, next, phase)};
}

scf::ForOp carryAlong(IRRewriter &builder, scf::ForOp loop, ValueRange state) {
  auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return llvm::SmallVector<Value>(arguments.begin(), arguments.end());
  };
  builder.setInsertionPoint(loop);
  return cast<scf::ForOp>(loop.replaceWithAdditionalYields(builder, state, false, same)->getOperation());
}

void partKernel(func::FuncOp kernel, llvm::function_ref<llvm::SmallVector<Ring *>(OpBuilder &)> makeRings,
                ProducerSlice &slice, ProducerSlice::Iteration fill,
                llvm::function_ref<void(IRRewriter &, llvm::SmallVector<Value>)> consume) {
  Location loc = kernel.getLoc();
  Block &entry = kernel.getBody().front();
  IRRewriter builder(kernel.getContext());
  llvm::SmallVector<Operation *> body;
  for (Operation &op : entry.without_terminator())
    body.push_back(&op);
  builder.setInsertionPointToStart(&entry);
  llvm::SmallVector<Ring *> rings = makeRings(builder);
  auto parts = warp::SpecializeOp::create(builder, loc);
  Block *producer = builder.createBlock(&parts.getProducer());
  Block *consumer = builder.createBlock(&parts.getConsumer());
  builder.setInsertionPointToEnd(producer);
  slice.emit(builder, {slotNumber(builder, loc, 0), slotNumber(builder, loc, 0)}, fill);
  warp::DoneOp::create(builder, loc);
  builder.setInsertionPointToEnd(consumer);
  warp::DoneOp::create(builder, loc);
  for (Operation *op : body)
    op->moveBefore(consumer->getTerminator());
  builder.setInsertionPointToStart(consumer);
  consume(builder, {slotNumber(builder, loc, 0), slotNumber(builder, loc, 0)});
  builder.setInsertionPointAfter(parts);
  for (Ring *ring : rings) {
    for (Value buffer : ring->buffers)
      warp::ReleaseOp::create(builder, loc, buffer);
    warp::ReleaseOp::create(builder, loc, ring->full);
    warp::ReleaseOp::create(builder, loc, ring->empty);
  }
}

} // namespace nereid::gpu
