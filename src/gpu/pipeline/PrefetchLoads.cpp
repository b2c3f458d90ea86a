// PrefetchLoads.cpp: rows that a loop loads (the next row of a softmax, the statistics beside a product) are loaded one
// iteration early, into registers, so that nobody waits for them; beside a product so are numbers, and tiles that are not
// copied asynchronously (a row of weights with two axes, operands that lie scattered).
//
//   before  for k { %m = tile.load %p(k);  … }
//   after   %first = tile.load %p(0)
//           for k, %m = %first { %next = tile.load %p(k + 1);  …;  yield %next }
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/pipeline/LoopSlice.h"

#include "dialect/Tile.h"
#include "layout/Space.h"
#include "transforms/FoldedReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

using namespace mlir;

namespace nereid::gpu {

static void prefetch(scf::ForOp &loop, tile::LoadOp load) {
  LoopSlice slice(loop);
  if (!slice.add({load.getPtr(), load.getMask(), load.getOther()}))
    return;
  IRRewriter builder(loop.getContext());
  builder.setInsertionPoint(loop);
  llvm::SmallVector<Value> carried = slice.starts();
  IRMapping mapping = slice.clone(builder, loop, loop.getLowerBound(), carried);
  llvm::SmallVector<Value> inits(carried);
  inits.push_back(cloneLoad(builder, load, mapping, isIteration(builder, loop, loop.getLowerBound())));
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
  carried.push_back(cloneLoad(builder, load, mapping, isIteration(builder, loop, next)));
  for (auto [i, value] : llvm::enumerate(carried))
    loop.getBody()->getTerminator()->setOperand(first + i, value);
  load.getResult().replaceAllUsesWith(extra.back());
  load.erase();
}

// What a thread may hold of tiles that wait for their iteration, in 32-bit registers. A loop that goes over a row in blocks
// often has one iteration only: there the registers are worth more to other programs of the same multiprocessor.
static int64_t waitingRegisters(scf::ForOp loop, RankedTensorType tile) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (tile.getRank() > 1)
    return 16; // the product needs the others
  return step == tile.getNumElements() ? 0 : 64;
}

// 32-bit registers of a thread for a tile whose elements take so many bits at least.
static int64_t registersFor(RankedTensorType type, unsigned leastBits, const Options &options) {
  return options.registersFor(type.getNumElements() * std::max(leastBits, type.getElementTypeBitWidth()));
}

// The same of a value; 0 for all but tiles of floats.
static int64_t registersFor(Value value, unsigned leastBits, const Options &options) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType()) ? registersFor(type, leastBits, options) : 0;
}

// What is left of a thread's registers beside the tiles that a loop carries, those from outside that it uses, and those that
// it loads, with which it computes in fp32.
static int64_t freeRegisters(scf::ForOp loop, const Options &options) {
  constexpr int64_t kRest = 32;
  int64_t taken = kRest;
  for (Value carried : loop.getRegionIterArgs())
    taken += registersFor(carried, 16, options);
  llvm::DenseSet<Value> outside;
  loop.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!loop.getBodyRegion().isAncestor(operand.getParentRegion()) && !matchPattern(operand, m_Constant()) &&
          outside.insert(operand).second)
        taken += registersFor(operand, 16, options);
  });
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    taken += registersFor(load.getResult(), 32, options);
  return options.registersOfThread() - taken;
}

static bool hasProducts(scf::ForOp loop) {
  return loop.getBody()->walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

// Threads wait for each other in it, or it stores: the assembler, which unrolls loops, cannot move the loads of several
// iterations together. Where it can, loads that run ahead one iteration are in its way. For reductions whose results are
// only combined threads meet behind the loop.
static bool hasMeetings(scf::ForOp loop, const llvm::DenseSet<Operation *> &folded) {
  return loop.getBody()
      ->walk([&](Operation *op) {
        bool isMeeting = isa<tile::DotOp, tile::ReduceOp, tile::ScanOp, tile::BarrierOp, tile::StoreOp>(op);
        return isMeeting && !folded.contains(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static void prefetchLoads(func::FuncOp kernel, const Options &options) {
  llvm::DenseSet<Operation *> folded;
  for (const transforms::Folded &found : transforms::foldedReductions(kernel))
    folded.insert(found.reduce);
  llvm::SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    // Loops in loops: the innermost ones are worth it.
    bool isInnermost = loop.getBody()->getOps<scf::ForOp>().empty();
    if (isInnermost && options.numStages > 1 && isFixedMemory(loop) && hasMeetings(loop, folded))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    int64_t taken = 0, mostAxes = hasProducts(loop) ? layout::kMaxAxes : 1;
    // Products count their own.
    int64_t free = hasProducts(loop) ? std::numeric_limits<int64_t>::max() : freeRegisters(loop, options);
    llvm::SmallVector<tile::LoadOp> loads;
    for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
      auto type = dyn_cast<RankedTensorType>(load.getType());
      if (!getElementTypeOrSelf(load.getType()).isIntOrFloat() || load.getIsVolatile())
        continue;
      // A number beside a product, such as the scale of a block.
      if (!type && hasProducts(loop))
        loads.push_back(load);
      if (!type || type.getRank() > mostAxes)
        continue;
      int64_t registers = registersFor(type, 16, options);
      if (taken + registers > std::min(free, waitingRegisters(loop, type)))
        continue;
      taken += registers;
      loads.push_back(load);
    }
    for (tile::LoadOp load : loads)
      prefetch(loop, load);
  }
}

namespace {

struct PrefetchLoadsPass : PlanPass<PrefetchLoadsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrefetchLoadsPass)
  StringRef getArgument() const final { return "warp-prefetch-loads"; }
  StringRef getDescription() const final { return "Load the rows of a loop an iteration early"; }
  void runOnOperation() final { prefetchLoads(getOperation(), options()); }
};

} // namespace

PassPtr createPrefetchLoadsPass(const Options &options) { return std::make_unique<PrefetchLoadsPass>(options); }

} // namespace nereid::gpu
