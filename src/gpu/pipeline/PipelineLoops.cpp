// PipelineLoops.cpp: loads that feed a product in a loop become asynchronous copies, a few iterations ahead.
//
//   before  for k { %a = tile.load %p(k);  %b = tile.load %q(k);  %c = tile.dot %a, %b, %c }
//   after   copy tiles 0 … D-1
//           for k { wait for tile k;  copy tile k + D;
//                   %a = warp.read %A[k % S];  %b = warp.read %B[k % S];  %c = tile.dot %a, %b, %c }
//
// S slots, D tiles ahead. After the barrier of iteration k all threads are done with tile k-1, so D = S-1; a product that
// goes on into the next iteration (wgmma) is done with tile k-2 only, so D = S-2 then, with a slot more where there is room.
// Where that slot keeps a second program from the multiprocessor, copies start at the end of an iteration instead, behind one more
// barrier: of tile k + S, or of k + S-1 while a product goes on.
// Else copies go ahead of the only product: where an iteration is shorter than memory takes to answer, every instruction before them
// makes it longer, and where it is not, tensor cores are busy with the product of the iteration before. With several products
// in an iteration the cores wait for the first one, and copies go behind it.
//
// Blocks of described tensors come by TMA instead, for which one thread asks. Its copies end a phase of
// the slot's barrier in shared memory; the barrier of all threads stands behind the product then, and D = S-1.
#include "gpu/pipeline/PipelineLoops.h"

#include "analysis/AxisInfo.h"
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/memory/TensorMaps.h"
#include "gpu/pipeline/LoopSlice.h"
#include "gpu/pipeline/Ring.h"
#include "gpu/pipeline/Slots.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/Operands.h"
#include "gpu/products/ResetSums.h"
#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

struct Copy {
  Operation *load; // of pointers, or of a block by TMA
  warp::BufferType type;
  Value buffer, map;

  tile::LoadOp ofPointers() const { return dyn_cast<tile::LoadOp>(load); }
  tile::DescLoadOp ofBlock() const { return dyn_cast<tile::DescLoadOp>(load); }
  // A tile of one row, from a row of pointers.
  bool isRow() const { return cast<RankedTensorType>(load->getResult(0).getType()).getRank() == 1; }
};

// Copies put zeros where the mask is false.
bool isZeroElsewhere(tile::LoadOp load) {
  return !load.getOther() || matchPattern(load.getOther(), m_AnyZeroFloat()) || matchPattern(load.getOther(), m_Zero());
}

unsigned bytesOf(RankedTensorType type) { return std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8); }

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, const analysis::AxisInfoAnalysis &axes, const Options &options)
      : loop(loop), axes(axes), options(options), slice(loop) {}

  void run() {
    // A barrier orders loads behind stores of the same iteration: they cannot come early.
    if (!loop.getBody()->getOps<tile::BarrierOp>().empty())
      return;
    for (Operation &op : *loop.getBody())
      if (auto load = dyn_cast<tile::LoadOp>(op); load && feedsProduct(load.getResult()))
        consider(load);
      else if (auto block = dyn_cast<tile::DescLoadOp>(op); block && feedsProduct(block.getResult()))
        consider(block);
    if (copies.empty())
      return;
    findAsyncProduct();
    for (auto load : loop.getBody()->getOps<tile::LoadOp>())
      considerRow(load);
    // Rows that only say where tiles lie are loaded with their addresses.
    llvm::erase_if(copies, [&](Copy &copy) { return copy.isRow() && slice.isOnlyFor(copy.load->getResult(0)); });
    if (!fit())
      return;
    distance = isReadLater() ? slots - 2 : startsBehind && !asyncProduct ? slots : slots - 1;
    rewrite();
  }

private:
  // Whether the tile becomes an operand of a product in the loop, perhaps after a cast or after another product is added to it.
  bool feedsProduct(Value tile) {
    llvm::SmallVector<Value> work{tile};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        if (user->getBlock() != loop.getBody())
          continue;
        if (isa<tile::DotOp>(user) && use.getOperandNumber() != 2)
          return true;
        if (isa<tile::DotOp>(user) || user->hasTrait<tile::Reshapes>() ||
            (isElementwise(user) && !isa<tile::AddPtrOp>(user)))
          work.append(user->result_begin(), user->result_end());
      }
    }
    return false;
  }

  void consider(tile::LoadOp load) {
    if (!whyNotAhead(load, axes, options).empty() || !slice.add({load.getPtr(), load.getMask()}))
      return;
    auto type = cast<RankedTensorType>(load.getType());
    copies.push_back({load, operandBuffer(type, fastAxis(axes.of(load.getPtr()))), {}, {}});
  }

  void consider(tile::DescLoadOp load) {
    if (!isMarkedBlock(load) || !slice.add(load.getIndices()))
      return;
    copies.push_back({load, blockBuffer(load.getType(), 1), {}, {}});
  }

  bool hasBlocks() const {
    return llvm::any_of(copies, [](const Copy &copy) { return bool(copy.ofBlock()); });
  }
  bool hasPointers() const {
    return llvm::any_of(copies, [](const Copy &copy) { return bool(copy.ofPointers()); });
  }
  // Whether copies start while a product of the iteration before may still read its slot.
  bool isReadLater() { return asyncProduct && !startsBehind && (leadingProduct || hasPointers()); }
  // Beside products that take most registers, a row waits in shared memory too: as a tile of one row.
  void considerRow(tile::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isIntOrFloat() || load.getIsVolatile() ||
        !isZeroElsewhere(load) || type.getNumElements() * type.getElementTypeBitWidth() < 128)
      return;
    const analysis::AxisInfo &info = axes.of(load.getPtr());
    unsigned bytes = type.getElementTypeBitWidth() / 8;
    int64_t run = std::min(info.contiguity[0] * bytes, info.divisibility[0]);
    if (load.getMask() && isa<RankedTensorType>(load.getMask().getType()))
      run = std::min(run, axes.of(load.getMask()).constancy[0] * bytes);
    bool isShort = bytes < 4 && type.getNumElements() * bytes < 4 * 32 * int64_t(options.numWarps);
    if (bytes == 0 || run < 4 || isShort || !slice.add({load.getPtr(), load.getMask()}))
      return; // a thread copies 4 bytes at least
    int64_t shape[] = {1, type.getNumElements()};
    unsigned swizzle = layout::widestSwizzle(shape, bytes, {1, 0});
    copies.push_back(
        {load, warp::BufferType::get(load.getContext(), shape, type.getElementType(), 1, 1, swizzle), {}, {}});
  }

  // As many slots as stages are asked for, and one more behind a product that goes on into the next iteration; or as there
  // is room. What else the loop needs is not known yet: where it is too much, compilation starts again with fewer
  // stages.
  bool fit() {
    uint64_t bytes = 0, reserve = 2 << 10;
    for (Copy &copy : copies)
      bytes += copy.type.slotBytes();
    auto isCopied = [&](Value operand, unsigned index) { return isReadable(operand, index); };
    reserve += bytesToStage(loop, isCopied, options);
    slots = stagesOf(loop, options) + (isReadLater() ? 1 : 0);
    auto programs = [&](unsigned count) {
      return std::min(options.target.sharedBytes / (count * bytes + reserve), programsByRegisters());
    };
    // Two programs of few warps that take turns are worth more than early copies. Of eight, halves take turns.
    bool canStartBehind = !hasBlocks() && !leadingProduct && !startsBehind && slots >= 2 && options.numWarps <= 4;
    if (canStartBehind && programs(slots) == 1 && programs(slots - 1) > 1) {
      startsBehind = true;
      --slots;
    }
    unsigned least = startsBehind && !asyncProduct ? 1 : 2;
    while (slots >= least && slots * bytes + reserve > options.target.sharedBytes)
      --slots;
    if (slots < 3 && isReadLater())
      asyncProduct = leadingProduct = {};
    return slots >= least;
  }

  // Programs that a multiprocessor has registers for, by the tiles that the loop carries, those that it multiplies into, and
  // what else a thread needs.
  uint64_t programsByRegisters() {
    constexpr uint64_t kRest = 64;
    uint64_t registers = kRest, threads = options.threads();
    auto count = [&](Value value) {
      if (auto type = dyn_cast<RankedTensorType>(value.getType()); type && type.getElementType().isIntOrFloat())
        registers += type.getNumElements() * type.getElementTypeBitWidth() / 32 / threads;
    };
    llvm::for_each(loop.getRegionIterArgs(), count);
    for (auto dot : loop.getBody()->getOps<tile::DotOp>())
      if (!isa<BlockArgument>(dot.getAcc()))
        count(dot.getResult());
    return options.target.registers / (threads * std::min<uint64_t>(registers, options.target.registersOfThread));
  }

  // A product that adds to what the loop carries, with both operands straight from copies, can go on into the next
  // iteration.
  void findAsyncProduct() {
    llvm::SmallVector<tile::DotOp> dots;
    loop.getBody()->walk([&](tile::DotOp dot) { dots.push_back(dot); });
    if (dots.size() >= 2)
      return findTrailingProducts(dots);
    if (dots.size() != 1 || !usesWgmma(dots[0], options) || !maySpan(dots[0]))
      return;
    tile::DotOp dot = dots[0];
    auto acc = dyn_cast<BlockArgument>(dot.getAcc());
    if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse())
      return;
    bool isCarried = dot.getResult().hasOneUse() && loop.getTiedLoopYieldedValue(acc)->get() == dot.getResult();
    if (!isCarried && !endOfSum(dot))
      return;
    for (unsigned index : {0u, 1u})
      if (!isReadable(dot->getOperand(index), index))
        return;
    asyncProduct = dot;
    startsBehind = !isCarried;
  }

  // Attention: the last products go on while the first ones of the next iteration are started behind them. What they add to
  // is touched only after those.
  void findTrailingProducts(ArrayRef<tile::DotOp> dots) {
    if (!llvm::all_of(dots, [&](tile::DotOp dot) { return isFreeToLag(dot); }))
      return;
    for (tile::DotOp dot : dots)
      if (isCarriedOn(dot, dots.front())) {
        asyncProduct = dot;
        leadingProduct = dots.front();
      }
  }

  // Whether nothing that the product reads is written in the loop but by copies.
  bool isFreeToLag(tile::DotOp dot) {
    auto isSettled = [&](unsigned index) {
      Value operand = dot->getOperand(index);
      Operation *op = operand.getDefiningOp();
      return isReadable(operand, index) || (op && !loop->isAncestor(op)) || (index == 0 && staysInRegisters(dot));
    };
    return dot->getBlock() == loop.getBody() && usesWgmma(dot, options) && maySpan(dot) && isSettled(0) && isSettled(1);
  }

  bool isCarriedOn(tile::DotOp dot, tile::DotOp first) {
    Block *body = loop.getBody();
    if (!dot.getResult().hasOneUse() || dot.getResult().getUses().begin()->getOwner() != body->getTerminator())
      return false;
    BlockArgument carried = loop.getRegionIterArg(dot.getResult().getUses().begin()->getOperandNumber());
    return llvm::all_of(carried.getUsers(), [&](Operation *user) {
      Operation *place = body->findAncestorOpInBlock(*user);
      return place && first->isBeforeInBlock(place);
    });
  }

  bool isReadable(Value operand, unsigned index) {
    bool isTransposed = false;
    if (auto trans = operand.getDefiningOp<tile::TransOp>(); trans && trans.getOrder() == ArrayRef<int32_t>{1, 0}) {
      operand = trans.getSource();
      isTransposed = true;
    }
    for (Copy &copy : copies)
      if (copy.load->getResult(0) == operand)
        return copy.type.elementBytes() == 2 ||
               (copy.type.getFast() ^ (isTransposed ? 1 : 0)) == (index == 0 ? 1u : 0u);
    return false;
  }

  // ---- Rewriting.

  Value constant(OpBuilder &builder, Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loop.getLoc(), builder.getIntegerAttr(type, value));
  }

  // What the copies of an iteration are given.
  struct Sources {
    IRMapping mapping;
    Value when;
    llvm::SmallVector<std::pair<Value, Value>> pointersAndMasks; // of those that go by pointers
  };

  // For the iteration with this index, whose carried values are given; they become those of the iteration after.
  Sources computeSources(OpBuilder &builder, Value index, llvm::SmallVectorImpl<Value> &carried) {
    Sources sources;
    sources.mapping = slice.clone(builder, loop, index, carried);
    sources.when = isIteration(builder, loop, index);
    for (Copy &copy : copies)
      if (!copy.ofBlock())
        sources.pointersAndMasks.push_back(pointersAndMask(builder, copy, sources.mapping));
    return sources;
  }

  std::pair<Value, Value> pointersAndMask(OpBuilder &builder, Copy &copy, IRMapping &mapping) {
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

  void startCopies(OpBuilder &builder, Sources &sources, Value slot) {
    Location loc = loop.getLoc();
    if (hasBlocks())
      warp::ExpectOp::create(builder, loc, barriers, slot, blockBytes(), sources.when);
    unsigned next = 0;
    for (Copy &copy : copies)
      if (tile::DescLoadOp block = copy.ofBlock()) {
        llvm::SmallVector<Value> indices;
        for (Value index : block.getIndices())
          indices.push_back(sources.mapping.lookupOrDefault(index));
        warp::CopyBlockOp::create(builder, block.getLoc(), copy.map, indices, copy.buffer, barriers, slot,
                                  sources.when);
      } else {
        auto [pointers, mask] = sources.pointersAndMasks[next++];
        warp::CopyAsyncOp::create(builder, copy.load->getLoc(), pointers, copy.buffer, slot, mask, sources.when);
      }
    if (hasPointers())
      warp::CommitOp::create(builder, loc);
  }

  uint32_t blockBytes() {
    uint64_t bytes = 0;
    for (Copy &copy : copies)
      if (copy.ofBlock())
        bytes += copy.type.elementBytes() * copy.type.getShape()[0] * copy.type.getShape()[1];
    return uint32_t(bytes);
  }

  void rewrite() {
    Location loc = loop.getLoc();
    IRRewriter builder(loop.getContext());
    builder.setInsertionPoint(loop);
    for (Copy &copy : copies) {
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
      Sources sources = computeSources(builder, index, carried);
      startCopies(builder, sources, constant(builder, builder.getI32Type(), iteration));
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
    for (Copy &copy : copies)
      warp::ReleaseOp::create(builder, loc, copy.buffer);
    if (barriers)
      warp::ReleaseOp::create(builder, loc, barriers);
    if (leadingProduct) {
      loop->setAttr(warp::kLagAttribute, builder.getUnitAttr());
    } else if (asyncProduct) {
      asyncProduct->setAttr(warp::kAsyncAttribute, builder.getUnitAttr());
      loop->setAttr(warp::kDrainAttribute, builder.getUnitAttr());
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
    auto compute = [&] {
      Value index = loop.getInductionVar();
      Value far = arith::MulIOp::create(builder, loc, loop.getStep(), constant(builder, index.getType(), distance));
      return computeSources(builder, arith::AddIOp::create(builder, loc, index, far), carried);
    };
    // Addresses before the wait, whose time they take: copies must not be kept from starting by them. Behind products
    // the threads have time, and no registers.
    Sources sources;
    bool isComputedLate = leadingProduct || (startsBehind && !asyncProduct);
    if (!isComputedLate)
      sources = compute();
    if (hasBlocks())
      warp::WaitPhaseOp::create(builder, loc, barriers, readSlot, phase);
    if (hasPointers())
      warp::WaitOp::create(builder, loc, distance - 1);
    OpBuilder::InsertPoint top = builder.saveInsertionPoint();
    Operation *before = leadingProduct; // what stands before the copies; nothing: they come first
    if (startsBehind && !asyncProduct) {
      before = body->getTerminator()->getPrevNode();
    } else if (asyncProduct && !leadingProduct) {
      builder.setInsertionPointAfter(asyncProduct);
      // The product of the iteration before is done.
      auto await = warp::AwaitOp::create(builder, loc, TypeRange(), ValueRange(), 1);
      before = hasPointers() && !startsBehind ? nullptr : await.getOperation();
    }
    if (before)
      builder.setInsertionPointAfter(before);
    else
      builder.restoreInsertionPoint(top);
    // All threads are done with the slot that is filled next.
    if (!hasPointers() || startsBehind)
      warp::BarrierOp::create(builder, loc, /*fenced=*/!asyncProduct && hasBlocks());
    if (isComputedLate)
      sources = compute();
    startCopies(builder, sources, writeSlot);
    OpBuilder::InsertPoint behindCopies = builder.saveInsertionPoint();
    // Only now: what later iterations compute takes rows of theirs, not of this one.
    for (Copy &copy : copies) {
      builder.setInsertionPoint(copy.load);
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
    for (Copy &copy : copies)
      copy.load->erase();
  }

  scf::ForOp loop;
  const analysis::AxisInfoAnalysis &axes;
  const Options &options;
  llvm::SmallVector<Copy> copies;
  Value barriers;  // of blocks
  LoopSlice slice; // what computes pointers and masks
  tile::DotOp asyncProduct, leadingProduct;
  // Copies start when the product of the iteration before is done, with a barrier: where a branch in the loop stores results,
  // it needs the memory of one slot more.
  bool startsBehind = false;
  unsigned slots = 0, distance = 0;
};

} // namespace

unsigned fastAxis(const analysis::AxisInfo &info) { return info.contiguity[0] > info.contiguity[1] ? 0 : 1; }

std::string whyNotAhead(tile::LoadOp load, const analysis::AxisInfoAnalysis &axes, const Options &options) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2 || !type.getElementType().isIntOrFloat())
    return "it is not a tile of numbers with two axes";
  if (load.getIsVolatile())
    return "it is volatile";
  if (!isZeroElsewhere(load))
    return "its `other` is not zero, which is all that a copy can put there";
  const analysis::AxisInfo &info = axes.of(load.getPtr());
  unsigned fast = fastAxis(info), bytes = bytesOf(type);
  int64_t run = std::min(info.contiguity[fast] * bytes, info.divisibility[fast]);
  if (load.getMask())
    run = std::min(run, axes.of(load.getMask()).constancy[fast] * bytes);
  // A thread copies 4 bytes at least, and a row has a chunk of 16.
  if (run < 4)
    return "it is not known that 4 bytes lie next to each other, aligned and under one mask (strides and sizes that "
           "are "
           "multiples of 16 say so)";
  if (type.getDimSize(fast) * bytes < 16 || type.getNumElements() * bytes < 4 * 32 * int64_t(options.numWarps))
    return "the tile is too small for all threads to copy a part of it";
  return {};
}

static void pipelineLoops(func::FuncOp kernel, const Options &options) {
  if (options.numStages < 2 || !options.target.hasAsyncCopies)
    return;
  analysis::AxisInfoAnalysis axes(kernel);
  llvm::SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    LoopPipeliner(loop, axes, options).run();
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
