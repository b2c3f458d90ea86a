// StoreBlocks.cpp: results of products leave through shared memory: threads put the tile there as TMA
// reads it, and one thread has it written to the tensor.
//
//   before  tile.desc_store %desc[%i, %j], %tile
//   after   %buffer = warp.alloc
//           warp.store_block %tile, %buffer, %map[%i, %j]
//           warp.wait_stores
//           warp.release %buffer
//
// Blocks that are added to a tensor (tile.desc_reduce) leave in the same way. Of those beside the products of a loop, one is written
// while the next is computed.
#include "gpu/memory/StoreBlocks.h"

#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/memory/TensorMaps.h"
#include "gpu/pipeline/Ring.h"
#include "gpu/pipeline/SpecializeWarps.h"

using namespace mlir;

namespace nereid::gpu {

// Whether a product is behind the tile.
static bool comesFromProduct(Value tile) {
  llvm::SmallVector<Value> work{tile};
  llvm::DenseSet<Value> seen;
  while (!work.empty() && seen.size() < 64) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (isa<tile::DotOp>(op))
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      work.push_back(loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)))->get());
    else if (!op->getNumRegions())
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          work.push_back(operand);
  }
  return false;
}

warp::BufferType storeBuffer(RankedTensorType tile) {
  warp::BufferType whole = blockBuffer(tile, 1);
  int64_t columns = whole.getSwizzle() / whole.elementBytes();
  return blockBuffer(RankedTensorType::get({tile.getDimSize(0), columns}, tile.getElementType()), kStoreSlots);
}

// The tile through a buffer of its own, which is free again at once.
static void store(tile::BlockWriteOpInterface op) {
  warp::BufferType buffer = blockBuffer(cast<RankedTensorType>(op.getValue().getType()), 1);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value map = makeTensorMap(builder, loc, op.getDesc(), buffer);
  Value memory = warp::AllocOp::create(builder, loc, buffer);
  warp::StoreBlockOp::create(builder, loc, op.getValue(), memory, map, op.getIndices(), false, false);
  warp::WaitStoresOp::create(builder, loc);
  warp::ReleaseOp::create(builder, loc, memory);
  op.erase();
}

// In a consumer: while TMA writes the tile, the next one is computed. Stores share buffers.
static void store(tile::BlockWriteOpInterface op, warp::SpecializeOp parts, unsigned warps,
                  llvm::DenseMap<Type, Value> &made) {
  warp::BufferType buffer = storeBuffer(cast<RankedTensorType>(op.getValue().getType()));
  OpBuilder builder(parts);
  Location loc = op.getLoc();
  Value &memory = made[buffer];
  if (!memory) {
    memory = warp::AllocOp::create(builder, loc, buffer);
    builder.setInsertionPointAfter(parts);
    warp::ReleaseOp::create(builder, loc, memory);
  }
  builder.setInsertionPoint(op);
  // 64 rows are what four warps have of a product.
  int64_t rows = buffer.getShape()[0];
  unsigned groups = rows % 64 == 0 ? unsigned(std::min<int64_t>(warps / 4, rows / 64)) : 1;
  Value map = makeTensorMap(builder, loc, op.getDesc(), buffer, nullptr, groups);
  warp::StoreBlockOp::create(builder, loc, op.getValue(), memory, map, op.getIndices(), true, false, groups);
  op.erase();
}

// A buffer for the whole tile, in parts that groups of warps may have for themselves. Around loops it stays: the next tile waits
// until TMA has read the last one.
static void storeBehind(tile::BlockWriteOpInterface op, const Options &options) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  warp::BufferType part = storeBuffer(type);
  unsigned parts = unsigned(type.getDimSize(1) / part.getShape()[1]);
  auto buffer = warp::BufferType::get(op.getContext(), part.getShape(), part.getElement(), parts, part.getFast(),
                                      part.getSwizzle());
  Operation *around = op;
  while (isa<scf::ForOp, scf::IfOp>(around->getParentOp()))
    around = around->getParentOp();
  OpBuilder builder(around);
  Location loc = op.getLoc();
  Value memory = warp::AllocOp::create(builder, loc, buffer);
  builder.setInsertionPointAfter(around);
  warp::WaitStoresOp::create(builder, loc);
  warp::ReleaseOp::create(builder, loc, memory);
  builder.setInsertionPoint(op);
  // 64 rows are what four warps have of a product.
  int64_t rows = type.getDimSize(0);
  unsigned groups = rows % 64 == 0 ? unsigned(std::min<int64_t>(options.numWarps / 4, rows / 64)) : 1;
  Value map = makeTensorMap(builder, loc, op.getDesc(), buffer, nullptr, std::max(groups, 1u));
  warp::StoreBlockOp::create(builder, loc, op.getValue(), memory, map, op.getIndices(), /*reused=*/around != op,
                             /*adds=*/op.combination().has_value(), std::max(groups, 1u));
  op.erase();
}

// In a loop of products, whose slots stay anyway: the buffer costs no more memory around it.
static bool isBesideProducts(tile::BlockWriteOpInterface op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return loop && !loop.getBody()->getOps<tile::DotOp>().empty();
}

static void storeBlocks(func::FuncOp kernel, const Options &options) {
  llvm::SmallVector<tile::BlockWriteOpInterface> writes;
  kernel.walk([&](tile::BlockWriteOpInterface op) {
    RankedTensorType type = op.getValue().getType();
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    if (isMarkedBlock(op) && comesFromProduct(op.getValue()) && uint64_t(bits / 8) + 4096 <= options.target.sharedBytes)
      writes.push_back(op);
  });
  warp::SpecializeOp parts = specializationOf(kernel);
  llvm::DenseMap<Type, Value> made;
  for (tile::BlockWriteOpInterface op : writes)
    if (op.combination() || (!parts && isBesideProducts(op)))
      storeBehind(op, options);
    else
      parts ? store(op, parts, options.numWarps, made) : store(op);
  if (!made.empty()) {
    OpBuilder builder(parts.getConsumer().front().getTerminator());
    warp::WaitStoresOp::create(builder, parts.getLoc());
  }
}

namespace {

struct StoreBlocksPass : PlanPass<StoreBlocksPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StoreBlocksPass)
  StringRef getArgument() const final { return "warp-store-blocks"; }
  StringRef getDescription() const final { return "Have TMA write the results of products"; }
  void runOnOperation() final { storeBlocks(getOperation(), options()); }
};

} // namespace

PassPtr createStoreBlocksPass(const Options &options) { return std::make_unique<StoreBlocksPass>(options); }

} // namespace nereid::gpu
