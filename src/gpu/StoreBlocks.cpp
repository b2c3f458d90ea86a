// StoreBlocks.cpp: results of products leave through shared memory: threads put the tile there as the copy engine (TMA)
// reads it, and one thread has it written to the tensor.
//
//   before  tile.desc_store %desc[%i, %j], %tile
//   after   %buffer = warp.alloc
//           warp.store_block %tile, %buffer, %map[%i, %j]
//           warp.wait_stores
//           warp.release %buffer
#include "gpu/PipelineLoops.h"
#include "gpu/TensorMaps.h"
#include "layout/SharedLayouts.h"

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

static void store(tile::DescStoreOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  unsigned bytes = std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
  unsigned swizzle = layout::widestSwizzle(type.getShape(), bytes, {1, 0});
  auto buffer = warp::BufferType::get(op.getContext(), type.getShape(), type.getElementType(), 1, 1, swizzle);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value map = makeTensorMap(builder, loc, op.getDesc(), buffer);
  Value memory = warp::AllocOp::create(builder, loc, buffer);
  warp::StoreBlockOp::create(builder, loc, op.getValue(), memory, map, op.getIndices());
  warp::WaitStoresOp::create(builder, loc);
  warp::ReleaseOp::create(builder, loc, memory);
  op.erase();
}

void storeBlocks(func::FuncOp kernel, const Options &options) {
  llvm::SmallVector<tile::DescStoreOp> stores;
  kernel.walk([&](tile::DescStoreOp op) {
    auto type = cast<RankedTensorType>(op.getValue().getType());
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    if (isMarkedBlock(op) && comesFromProduct(op.getValue()) && uint64_t(bits / 8) + 4096 <= sharedMemoryLimit(options))
      stores.push_back(op);
  });
  for (tile::DescStoreOp op : stores)
    store(op);
}

} // namespace nereid::gpu
