// PipelineLoops.cpp: loads that feed a product in a loop become asynchronous copies, a few iterations ahead.
//
//   before  for k { %a = tile.load %p(k);  %b = tile.load %q(k);  %c = tile.dot %a, %b, %c }
//   after   copy tiles 0 … D-1
//           for k { wait for tile k;  copy tile k + D;
//                   %a = warp.read %A[k % S];  %b = warp.read %B[k % S];  %c = tile.dot %a, %b, %c }
//
// Which loads, S slots, D tiles ahead and where in an iteration copies start: LoopCopies.cpp. Blocks of described tensors come by TMA,
// for which one thread asks.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/memory/TensorMaps.h"
#include "gpu/pipeline/LoopCopies.h"
#include "gpu/pipeline/Slots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class LoopPipeliner : LoopCopies {
public:
  explicit LoopPipeliner(LoopCopies planned) : LoopCopies(std::move(planned)) {}

  void rewrite() {
    Location loc = loop.getLoc();
    IRRewriter builder(loop.getContext());
    builder.setInsertionPoint(loop);
    for (LoopCopy &copy : copies) {
      copy.type = warp::BufferType::get(loop.getContext(), copy.type.getShape(), copy.type.getElement(), slots,
                                        copy.type.getFast(), copy.type.getSwizzle());
      copy.buffer = warp::AllocOp::create(builder, loc, copy.type);
      if (tile::DescLoadOp block = copy.ofBlock())
        copy.map = makeTensorMap(builder, loc, block.getDesc(), copy.type);
    }
    if (hasBlocks())
      barriers = warp::MakeBarriersOp::create(builder, loc, warp::BarriersType::get(loop.getContext(), slots), 1);
    llvm::SmallVector<Value> carried = slice.starts();
    Value index = loop.getLowerBound();
    for (unsigned iteration = 0; iteration < distance; ++iteration) {
      Value slot = constant(builder, builder.getI32Type(), iteration);
      if (parting)
        startFirstPart(builder, index, carried, slot);
      Sources sources = computeSources(builder, index, carried, lastPart());
      startCopies(builder, sources, slot, lastPart());
      index = arith::AddIOp::create(builder, loc, index, loop.getStep());
    }
    llvm::SmallVector<Value> inits(carried);
    inits.push_back(constant(builder, builder.getI32Type(), 0));
    inits.push_back(constant(builder, builder.getI32Type(), distance % slots));
    inits.push_back(constant(builder, builder.getI32Type(), 0));
    unsigned first = loop.getNumRegionIterArgs();
    auto same = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return llvm::SmallVector<Value>(arguments.begin(), arguments.end());
    };
    auto made = loop.replaceWithAdditionalYields(builder, inits, false, same);
    loop = cast<scf::ForOp>(made->getOperation());
    rewriteBody(builder, first);
    builder.setInsertionPointAfter(loop);
    for (LoopCopy &copy : copies)
      warp::ReleaseOp::create(builder, loc, copy.buffer);
    if (barriers)
      warp::ReleaseOp::create(builder, loc, barriers);
    if (behind == CopiesBehind::FirstProduct) {
      loop->setAttr(warp::kLagAttribute, builder.getUnitAttr());
    } else if (asyncProduct) {
      asyncProduct->setAttr(warp::kAsyncAttribute, builder.getUnitAttr());
      loop->setAttr(warp::kDrainAttribute, builder.getUnitAttr());
    }
  }

private:
  Value constant(OpBuilder &builder, Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loop.getLoc(), builder.getIntegerAttr(type, value));
  }

  // What the copies of an iteration are given.
  struct Sources {
    IRMapping mapping;
    Value when;
    llvm::SmallVector<std::pair<Value, Value>> pointersAndMasks; // of those that go by pointers
  };

  unsigned lastPart() { return parting ? 1 : 0; }

  // For the iteration with this index, whose carried values are given; they become those of the iteration after.
  Sources computeSources(OpBuilder &builder, Value index, llvm::SmallVectorImpl<Value> &carried, unsigned part) {
    Sources sources;
    sources.mapping = slice.clone(builder, loop, index, carried);
    sources.when = isIteration(builder, loop, index);
    for (LoopCopy &copy : copies)
      if (!copy.ofBlock() && copy.part == part)
        sources.pointersAndMasks.push_back(pointersAndMask(builder, copy, sources.mapping));
    return sources;
  }

  std::pair<Value, Value> pointersAndMask(OpBuilder &builder, LoopCopy &copy, IRMapping &mapping) {
    Location loc = copy.load->getLoc();
    auto asInBuffer = [&](Value value) -> Value {
      if (!value)
        return value;
      value = mapping.lookupOrDefault(value);
      auto type = RankedTensorType::get(copy.type.getShape(), getElementTypeOrSelf(value.getType()));
      if (!isa<RankedTensorType>(value.getType()))
        return tile::SplatOp::create(builder, loc, type, value);
      return copy.isRow() ? tile::ExpandDimsOp::create(builder, loc, type, value, 0) : value;
    };
    tile::LoadOp load = copy.ofPointers();
    return {asInBuffer(load.getPtr()), asInBuffer(load.getMask())};
  }

  // Those of an iteration whose second part follows.
  void startFirstPart(OpBuilder &builder, Value index, ArrayRef<Value> carried, Value slot) {
    llvm::SmallVector<Value> unchanged(carried);
    Sources sources = computeSources(builder, index, unchanged, 0);
    startCopies(builder, sources, slot, 0);
  }

  void startCopies(OpBuilder &builder, Sources &sources, Value slot, unsigned part) {
    Location loc = loop.getLoc();
    if (hasBlocks())
      warp::ExpectOp::create(builder, loc, barriers, slot, blockBytes(), sources.when);
    unsigned next = 0;
    for (LoopCopy &copy : copies)
      if (tile::DescLoadOp block = copy.ofBlock()) {
        llvm::SmallVector<Value> indices;
        for (Value index : block.getIndices())
          indices.push_back(sources.mapping.lookupOrDefault(index));
        warp::CopyBlockOp::create(builder, block.getLoc(), copy.map, indices, copy.buffer, barriers, slot,
                                  sources.when);
      } else if (copy.part == part) {
        auto [pointers, mask] = sources.pointersAndMasks[next++];
        warp::CopyAsyncOp::create(builder, copy.load->getLoc(), pointers, copy.buffer, slot, mask, sources.when);
      }
    if (hasPointers())
      warp::CommitOp::create(builder, loc);
  }

  uint32_t blockBytes() {
    uint64_t bytes = 0;
    for (LoopCopy &copy : copies)
      if (copy.ofBlock())
        bytes += copy.type.elementBytes() * copy.type.getShape()[0] * copy.type.getShape()[1];
    return uint32_t(bytes);
  }

  // Copies that start behind what reads them are waited for where the first of their part is read: whatever comes before that is done
  // while they are on their way.
  void waitForParts(OpBuilder &builder) {
    for (unsigned part = 0; part <= lastPart(); ++part) {
      Operation *first = loop.getBody()->getTerminator();
      for (LoopCopy &copy : copies)
        if (Operation *place = copy.placeOfRead(); copy.part == part && place->isBeforeInBlock(first))
          first = place;
      builder.setInsertionPoint(first);
      warp::WaitOp::create(builder, loop.getLoc(), (lastPart() + 1) * distance - 1);
    }
  }

  void rewriteBody(OpBuilder &builder, unsigned first) {
    Location loc = loop.getLoc();
    Block *body = loop.getBody();
    auto extra = loop.getRegionIterArgs().drop_front(first);
    size_t ahead = extra.size() - 3; // what the slice needs
    Value readSlot = extra[ahead], writeSlot = extra[ahead + 1], phase = extra[ahead + 2];
    builder.setInsertionPointToStart(body);
    llvm::SmallVector<Value> carried(extra.begin(), extra.begin() + ahead);
    auto farIndex = [&]() -> Value {
      Value index = loop.getInductionVar();
      Value far = arith::MulIOp::create(builder, loc, loop.getStep(), constant(builder, index.getType(), distance));
      return arith::AddIOp::create(builder, loc, index, far);
    };
    auto compute = [&] { return computeSources(builder, farIndex(), carried, lastPart()); };
    // Addresses before the wait, whose time they take: copies must not be kept from starting by them. Behind products
    // the threads have time, and no registers.
    Sources sources;
    bool isComputedLate = behind == CopiesBehind::FirstProduct || behind == CopiesBehind::Iteration;
    if (!isComputedLate)
      sources = compute();
    if (hasBlocks())
      warp::WaitPhaseOp::create(builder, loc, barriers, readSlot, phase);
    if (behind == CopiesBehind::Iteration)
      waitForParts(builder);
    else if (hasPointers())
      warp::WaitOp::create(builder, loc, distance - 1);
    OpBuilder::InsertPoint top = builder.saveInsertionPoint();
    // The product of the iteration before is done.
    warp::AwaitOp await;
    if (asyncProduct && behind != CopiesBehind::FirstProduct) {
      builder.setInsertionPointAfter(asyncProduct);
      await = warp::AwaitOp::create(builder, loc, TypeRange(), ValueRange(), 1);
    }
    if (parting) {
      builder.setInsertionPointAfter(parting);
      warp::BarrierOp::create(builder, loc, /*fenced=*/false);
      startFirstPart(builder, farIndex(), carried, writeSlot);
    }
    switch (behind) {
    case CopiesBehind::Nothing: builder.restoreInsertionPoint(top); break;
    case CopiesBehind::FirstProduct: builder.setInsertionPointAfter(firstProduct); break;
    case CopiesBehind::ProductBefore: builder.setInsertionPointAfter(await); break;
    case CopiesBehind::Iteration: builder.setInsertionPoint(body->getTerminator()); break;
    }
    // All threads are done with the slot that is filled next.
    if (!hasPointers() || behind == CopiesBehind::ProductBefore || behind == CopiesBehind::Iteration)
      warp::BarrierOp::create(builder, loc, /*fenced=*/!asyncProduct && hasBlocks());
    if (isComputedLate)
      sources = compute();
    startCopies(builder, sources, writeSlot, lastPart());
    OpBuilder::InsertPoint behindCopies = builder.saveInsertionPoint();
    // Only now: what later iterations compute takes rows of theirs, not of this one.
    for (LoopCopy &copy : copies) {
      builder.setInsertionPoint(copy.placeOfRead());
      auto type = RankedTensorType::get(copy.type.getShape(), copy.type.getElement());
      Value tile = warp::ReadOp::create(builder, copy.load->getLoc(), type, copy.buffer, readSlot);
      if (copy.isRow())
        tile = tile::ReshapeOp::create(builder, copy.load->getLoc(), copy.load->getResult(0).getType(), tile);
      copy.load->getResult(0).replaceAllUsesWith(tile);
    }
    builder.restoreInsertionPoint(behindCopies);
    Value next = nextSlot(builder, loc, readSlot, slots);
    carried.push_back(next);
    carried.push_back(nextSlot(builder, loc, writeSlot, slots));
    carried.push_back(hasBlocks() ? nextPhase(builder, loc, next, phase) : phase);
    for (auto [i, value] : llvm::enumerate(carried))
      body->getTerminator()->setOperand(first + i, value);
    for (LoopCopy &copy : copies)
      copy.load->erase();
  }

  Value barriers; // of blocks
};

} // namespace

static void pipelineLoops(func::FuncOp kernel, const Options &options) {
  if (!options.target.hasAsyncCopies)
    return;
  analysis::AxisInfoAnalysis axes(kernel);
  llvm::SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (options.numStages >= 2 || stagesOf(loop, options) >= 2)
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    if (std::optional<LoopCopies> planned = planCopies(loop, axes, options))
      LoopPipeliner(std::move(*planned)).rewrite();
}

namespace {

struct PipelineLoopsPass : PlanPass<PipelineLoopsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PipelineLoopsPass)
  StringRef getArgument() const final { return "warp-pipeline-loops"; }
  StringRef getDescription() const final {
    return "Copy the tiles of later iterations of a loop with products into shared memory";
  }
  void runOnOperation() final { pipelineLoops(getOperation(), options()); }
};

} // namespace

PassPtr createPipelineLoopsPass(const Options &options) { return std::make_unique<PipelineLoopsPass>(options); }

} // namespace nereid::gpu
