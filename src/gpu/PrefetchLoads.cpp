// PrefetchLoads.cpp: short rows that a loop with products loads (biases, statistics of a softmax) are loaded one turn
// early, into registers, so that nobody waits for them.
//
//   before  for k { %m = tile.load %p(k);  … }
//   after   %first = tile.load %p(0)
//           for k, %m = %first { %next = tile.load %p(k + 1);  …;  yield %next }
#include "gpu/LoopSlice.h"
#include "gpu/PipelineLoops.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::gpu {

// Loads of later turns must not pass stores of this one.
static bool isFixedMemory(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([](Operation *op) {
                return isa<tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp, tile::BarrierOp>(op) ? WalkResult::interrupt()
                                                                                                     : WalkResult::advance();
              })
              .wasInterrupted();
}

static Value loadFor(OpBuilder &builder, scf::ForOp loop, tile::LoadOp load, const IRMapping &mapping, Value index) {
  auto type = cast<RankedTensorType>(load.getType());
  Location loc = load.getLoc();
  auto maskType = RankedTensorType::get(type.getShape(), builder.getI1Type());
  Value mask = tile::SplatOp::create(builder, loc, maskType, isTurn(builder, loop, index));
  if (load.getMask()) {
    Value given = mapping.lookupOrDefault(load.getMask());
    if (given.getType() != maskType)
      given = tile::SplatOp::create(builder, loc, maskType, given);
    mask = arith::AndIOp::create(builder, loc, mask, given);
  }
  Value other = load.getOther() ? mapping.lookupOrDefault(load.getOther()) : Value();
  return tile::LoadOp::create(builder, loc, type, mapping.lookupOrDefault(load.getPtr()), mask, other, load.getCache(),
                              load.getEvict(), false);
}

static void prefetch(scf::ForOp &loop, tile::LoadOp load) {
  LoopSlice slice(loop);
  if (!slice.add({load.getPtr(), load.getMask(), load.getOther()}))
    return;
  IRRewriter builder(loop.getContext());
  builder.setInsertionPoint(loop);
  llvm::SmallVector<Value> carried = slice.starts();
  IRMapping mapping = slice.clone(builder, loop, loop.getLowerBound(), carried);
  llvm::SmallVector<Value> inits(carried);
  inits.push_back(loadFor(builder, loop, load, mapping, loop.getLowerBound()));
  unsigned first = loop.getNumRegionIterArgs();
  auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return llvm::SmallVector<Value>(arguments.begin(), arguments.end());
  };
  loop = cast<scf::ForOp>(loop.replaceWithAdditionalYields(builder, inits, false, same)->getOperation());
  auto extra = loop.getRegionIterArgs().drop_front(first);
  builder.setInsertionPointToStart(loop.getBody());
  Value next = arith::AddIOp::create(builder, loop.getLoc(), loop.getInductionVar(), loop.getStep());
  carried.assign(extra.begin(), extra.end() - 1);
  mapping = slice.clone(builder, loop, next, carried);
  carried.push_back(loadFor(builder, loop, load, mapping, next));
  for (auto [i, value] : llvm::enumerate(carried))
    loop.getBody()->getTerminator()->setOperand(first + i, value);
  load.getResult().replaceAllUsesWith(extra.back());
  load.erase();
}

void prefetchLoads(func::FuncOp kernel) {
  llvm::SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    bool hasProduct = llvm::any_of(*loop.getBody(), [](Operation &op) { return isa<tile::DotOp>(op); });
    if (hasProduct && isFixedMemory(loop))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    llvm::SmallVector<tile::LoadOp> loads;
    for (auto load : loop.getBody()->getOps<tile::LoadOp>())
      if (auto type = dyn_cast<RankedTensorType>(load.getType()); type && type.getRank() == 1 && !load.getIsVolatile())
        loads.push_back(load);
    for (tile::LoadOp load : loads)
      prefetch(loop, load);
  }
}

} // namespace nereid::gpu
