// LoopCopies.cpp: S slots, D tiles ahead. After the barrier of iteration k all threads are done with tile k-1, so D = S-1; a product
// that goes on into the next iteration (wgmma) is done with tile k-2 only, so D = S-2 then, with a slot more where there is room.
// Where that slot keeps programs from the multiprocessor, copies start at the end of an iteration instead, behind one more
// barrier: of tile k + S, or of k + S-1 while a product goes on. What only products of registers read in the first part of an iteration is
// copied anew behind that part, and what they read in the second is waited for there: each is on its way while the other is multiplied.
// Else copies go ahead of the only product: where an iteration is shorter than memory takes to answer, every instruction before them
// makes it longer, and where it is not, tensor cores are busy with the product of the iteration before. With several products
// in an iteration the cores wait for the first one, and copies go behind it.
//
// Blocks that come by TMA end a phase of their slot's barrier; the barrier of all threads stands behind the product then, and D = S-1.
#include "gpu/pipeline/LoopCopies.h"

#include "gpu/memory/TensorMaps.h"
#include "gpu/pipeline/Ring.h"
#include "gpu/pipeline/Slots.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/Operands.h"
#include "gpu/products/ResetSums.h"
#include "gpu/products/StageOperands.h"
#include "layout/SharedLayouts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

unsigned bytesOf(RankedTensorType type) { return std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8); }

// Bytes that are known to lie next to each other along an axis, aligned, and of which the mask takes the first ones, all or none.
int64_t runOf(tile::LoadOp load, const analysis::AxisInfoAnalysis &axes, unsigned axis, unsigned bytes) {
  const analysis::AxisInfo &info = axes.of(load.getPtr());
  int64_t run = std::min(info.contiguity[axis] * bytes, info.divisibility[axis]);
  if (load.getMask())
    run = std::min(run, axes.of(load.getMask()).fallingRun(axis) * bytes);
  return run;
}

class CopyPlanner : public LoopCopies {
public:
  CopyPlanner(scf::ForOp loop, const analysis::AxisInfoAnalysis &axes, const Options &options)
      : LoopCopies(loop), axes(axes), options(options) {}

  bool run() {
    // A barrier orders loads behind stores of the same iteration: they cannot come early.
    if (!loop.getBody()->getOps<tile::BarrierOp>().empty())
      return false;
    for (Operation &op : *loop.getBody())
      if (auto load = dyn_cast<tile::LoadOp>(op); load && feedsProduct(load.getResult()))
        consider(load);
      else if (auto block = dyn_cast<tile::DescLoadOp>(op); block && feedsProduct(block.getResult()))
        consider(block);
    if (copies.empty())
      return false;
    findAsyncProduct();
    for (auto load : loop.getBody()->getOps<tile::LoadOp>())
      considerRow(load);
    // Rows that only say where tiles lie are loaded with their addresses.
    llvm::erase_if(copies, [&](LoopCopy &copy) { return copy.isRow() && slice.isOnlyFor(copy.load->getResult(0)); });
    // Blocks alone have no slot more: the product of the iteration before is waited for.
    if (asyncProduct && behind == CopiesBehind::Nothing && !hasPointers())
      behind = CopiesBehind::ProductBefore;
    if (!fit())
      return false;
    distance = isReadLater() ? slots - 2 : behind == CopiesBehind::Iteration ? slots : slots - 1;
    if (behind == CopiesBehind::Iteration)
      findParts();
    return true;
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

  // A row alone is not worth a barrier.
  void consider(tile::DescLoadOp load) {
    if (!isMarkedBlock(load) || load.getType().getDimSize(0) == 1 || !slice.add(load.getIndices()))
      return;
    copies.push_back({load, blockBuffer(load.getType(), 1), {}, {}});
  }

  // Whether copies start while a product of the iteration before may still read its slot.
  bool isReadLater() {
    return asyncProduct && (behind == CopiesBehind::Nothing || behind == CopiesBehind::FirstProduct);
  }

  // Beside products that take most registers, a row waits in shared memory too: as a tile of one row.
  void considerRow(tile::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isIntOrFloat() || load.getIsVolatile() ||
        !isZeroElsewhere(load) || type.getNumElements() * type.getElementTypeBitWidth() < 128)
      return;
    unsigned bytes = type.getElementTypeBitWidth() / 8;
    bool isShort = bytes < 4 && type.getNumElements() * bytes < 4 * 32 * int64_t(options.numWarps);
    if (bytes == 0 || runOf(load, axes, 0, bytes) < 4 || isShort || !slice.add({load.getPtr(), load.getMask()}))
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
    constexpr uint64_t kScratch = 2 << 10;
    uint64_t bytes = 0;
    for (LoopCopy &copy : copies)
      bytes += copy.type.slotBytes();
    auto isCopied = [&](Value operand, unsigned index) { return isReadable(operand, index); };
    uint64_t staged = bytesToStage(loop, isCopied, options), reserve = staged + kScratch;
    slots = stagesOf(loop, options) + (isReadLater() ? 1 : 0);
    // Scratch memory of a loop is small, or takes the place of slots behind it: it keeps no program away.
    auto programs = [&](unsigned count) {
      uint64_t byMemory = options.target.mostBlocks(options.threads(), count * bytes + staged);
      return std::min(byMemory, programsByRegisters());
    };
    // Programs of few warps that take turns are worth more than early copies, up to two warps for each scheduler. So is a second
    // program of eight: one of them starts, or ends, while the other one multiplies.
    constexpr unsigned kEnoughWarps = 8;
    bool canStartLater = behind == CopiesBehind::Nothing && !hasBlocks() && slots >= 2 && options.numWarps <= 8;
    bool areFew = options.numWarps <= 4 ? programs(slots) * options.numWarps < kEnoughWarps : programs(slots) == 1;
    if (canStartLater && areFew && programs(slots - 1) > programs(slots)) {
      behind = asyncProduct ? CopiesBehind::ProductBefore : CopiesBehind::Iteration;
      --slots;
    }
    unsigned least = behind == CopiesBehind::Iteration ? 1 : 2;
    while (slots >= least && slots * bytes + reserve > options.target.sharedBytes)
      --slots;
    if (slots < 3 && isReadLater()) {
      asyncProduct = {};
      behind = CopiesBehind::Nothing;
    }
    return slots >= least;
  }

  // The product that parts what is read best. None beside wgmma, which reads its slots as it goes, and beside products of 32-bit operands,
  // which leave no registers for addresses between them.
  void findParts() {
    auto dots = loop.getBody()->getOps<tile::DotOp>();
    if (llvm::any_of(dots, [&](tile::DotOp dot) {
          return usesWgmma(dot, options) || dot.getLhs().getType().getElementTypeBitWidth() >= 32;
        }))
      return;
    uint64_t best = 0;
    for (tile::DotOp dot : dots) {
      uint64_t bytes[2] = {0, 0};
      for (LoopCopy &copy : copies)
        bytes[dot->isBeforeInBlock(copy.lastPlaceOfRead())] += copy.type.slotBytes();
      if (uint64_t least = std::min(bytes[0], bytes[1]); least > best) {
        best = least;
        parting = dot;
      }
    }
    for (LoopCopy &copy : copies)
      copy.part = parting && parting->isBeforeInBlock(copy.lastPlaceOfRead());
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
    // Where a branch in the loop stores results, it needs the memory of one slot more.
    if (!isCarried)
      behind = CopiesBehind::ProductBefore;
  }

  // Attention: the last products go on while the first ones of the next iteration are started behind them. What they add to
  // is touched only after those.
  void findTrailingProducts(ArrayRef<tile::DotOp> dots) {
    if (!llvm::all_of(dots, [&](tile::DotOp dot) { return isFreeToLag(dot); }) || !haveRegisters(dots))
      return;
    for (tile::DotOp dot : dots)
      if (isCarriedOn(dot, dots.front())) {
        asyncProduct = dot;
        firstProduct = dots.front();
        behind = CopiesBehind::FirstProduct;
      }
  }

  // The first product starts while those that are carried on still have their sums, and left operands in registers: where that is more
  // than a thread has, the assembler lets each instruction of theirs wait for the one before (C7511).
  bool haveRegisters(ArrayRef<tile::DotOp> dots) {
    tile::DotOp first = dots.front();
    uint64_t bits = bitsOf(first.getType());
    for (tile::DotOp dot : dots)
      if (isCarriedOn(dot, first))
        bits += bitsOf(dot.getType()) + (staysInRegisters(dot) ? bitsOf(dot.getLhs().getType()) : 0);
    return bits / 32 <= (options.target.registersOfThread - kRest) * uint64_t(options.threads());
  }

  static uint64_t bitsOf(RankedTensorType type) {
    return uint64_t(type.getNumElements()) * type.getElementTypeBitWidth();
  }

  // Whether nothing that the product reads is written in the loop but by copies. What comes out of another product, and is turned in shared
  // memory, is read by one that ends in its iteration.
  bool isFreeToLag(tile::DotOp dot) {
    bool endsHere = llvm::none_of(dot->getUsers(), [](Operation *user) { return isa<scf::YieldOp>(user); });
    auto isSettled = [&](unsigned index) {
      Value operand = dot->getOperand(index);
      Operation *op = operand.getDefiningOp();
      return isReadable(operand, index) || (op && !loop->isAncestor(op)) ||
             (index == 0 && (staysInRegisters(dot) || (endsHere && isTurnedProduct(operand))));
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
    for (LoopCopy &copy : copies)
      if (copy.load->getResult(0) == operand)
        return copy.type.elementBytes() == 2 ||
               (copy.type.getFast() ^ (isTransposed ? 1 : 0)) == (index == 0 ? 1u : 0u);
    return false;
  }

  static constexpr unsigned kRest = 31; // registers of a thread that addresses and operands take

  const analysis::AxisInfoAnalysis &axes;
  const Options &options;
};

} // namespace

Operation *LoopCopy::lastPlaceOfRead() const {
  Block *block = load->getBlock();
  Operation *first = block->getTerminator();
  for (Operation *user : load->getUsers())
    if (Operation *place = block->findAncestorOpInBlock(*user); place && place->isBeforeInBlock(first))
      first = place;
  return first == block->getTerminator() ? load : first; // copies start before that
}

std::optional<LoopCopies> planCopies(scf::ForOp loop, const analysis::AxisInfoAnalysis &axes, const Options &options) {
  CopyPlanner planner(loop, axes, options);
  return planner.run() ? std::optional<LoopCopies>(std::move(planner)) : std::nullopt;
}

bool isZeroElsewhere(tile::LoadOp load) {
  return !load.getOther() || matchPattern(load.getOther(), m_AnyZeroFloat()) || matchPattern(load.getOther(), m_Zero());
}

unsigned fastAxis(const analysis::AxisInfo &info) { return info.contiguity[0] > info.contiguity[1] ? 0 : 1; }

std::string whyNotAhead(tile::LoadOp load, const analysis::AxisInfoAnalysis &axes, const Options &options) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2 || !type.getElementType().isIntOrFloat())
    return "it is not a tile of numbers with two axes";
  if (load.getIsVolatile())
    return "it is volatile";
  if (!isZeroElsewhere(load))
    return "its `other` is not zero, which is all that a copy can put there";
  unsigned fast = fastAxis(axes.of(load.getPtr())), bytes = bytesOf(type);
  // A thread copies 4 bytes at least, and a row has a chunk of 16.
  if (runOf(load, axes, fast, bytes) < 4)
    return "it is not known that 4 bytes lie next to each other, aligned and under one mask (strides and sizes that "
           "are "
           "multiples of 16 say so)";
  if (type.getDimSize(fast) * bytes < 16 || type.getNumElements() * bytes < 4 * 32 * int64_t(options.numWarps))
    return "the tile is too small for all threads to copy a part of it";
  return {};
}

} // namespace nereid::gpu
