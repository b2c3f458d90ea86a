// CopyOperands.cpp: operands of tensor cores that are loaded and used for nothing else are copied straight into shared memory: no
// registers hold them on their way, and all that comes before the product goes on meanwhile.
//
//   before  %k = tile.load %p;  …;  %s = tile.dot %q, %k, %c
//   after   %b = warp.alloc;  warp.copy_async %p, %b;  warp.commit;  …;  warp.wait 0;  %s = tile.dot %q, (warp.read %b), %c
//
// Copies for later products of a block start with those of the first: behind it they would not be under way while it is.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/pipeline/LoopCopies.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/Operands.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

struct OperandUse {
  tile::DotOp dot;
  unsigned index;
  bool isTransposed;
};

class OperandCopies {
public:
  OperandCopies(func::FuncOp kernel, const Options &options) : kernel(kernel), options(options), axes(kernel) {}

  void run() {
    llvm::SmallVector<tile::LoadOp> loads;
    kernel.walk([&](tile::LoadOp load) {
      // Where copies run ahead, the wait for one that does not would be one for them.
      if (load->getBlock()->getOps<warp::WaitOp>().empty())
        loads.push_back(load);
    });
    for (tile::LoadOp load : loads) {
      llvm::SmallVector<OperandUse> uses;
      if (whyNotAhead(load, axes, options).empty() && collectUses(load.getResult(), false, uses) && !uses.empty())
        replace(load, uses);
    }
    for (auto &[place, commits] : waits)
      if (!isa<scf::ForOp>(place))
        insertWait(place, commits);
    for (auto &[place, commits] : waits)
      if (auto loop = dyn_cast<scf::ForOp>(place))
        waitForLoop(loop, commits);
  }

private:
  // Whether products on tensor cores, which take it as it lies in memory, are all that use the tile.
  bool collectUses(Value tile, bool isTransposed, llvm::SmallVectorImpl<OperandUse> &uses) {
    return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
      if (auto trans = dyn_cast<tile::TransOp>(use.getOwner()))
        return trans.getOrder() == ArrayRef<int32_t>{1, 0} && collectUses(trans.getResult(), !isTransposed, uses);
      auto dot = dyn_cast<tile::DotOp>(use.getOwner());
      unsigned index = use.getOperandNumber();
      if (!dot || index > 1 || !usesTensorCores(dot, options) || dot->getParentOfType<warp::SpecializeOp>())
        return false;
      // Behind one product there is nothing that could go on meanwhile.
      if (!dot->getParentOfType<scf::ForOp>())
        return false;
      if (!usesWgmma(dot, options) && isHeldByLoop(tile, dot, options))
        return false;
      uses.push_back({dot, index, isTransposed});
      return true;
    });
  }

  void replace(tile::LoadOp load, ArrayRef<OperandUse> uses) {
    auto type = cast<RankedTensorType>(load.getType());
    unsigned fast = fastAxis(axes.of(load.getPtr())), bytes = type.getElementTypeBitWidth() / 8;
    Operation *first = nullptr, *last = nullptr; // of those that use it, in the load's block
    for (const OperandUse &use : uses) {
      // Types other than 16 bits wide must lie along K.
      if (bytes != 2 && (fast ^ (use.isTransposed ? 1u : 0u)) != (use.index == 0 ? 1u : 0u))
        return;
      Operation *user = load->getBlock()->findAncestorOpInBlock(*use.dot);
      first = !first || user->isBeforeInBlock(first) ? user : first;
      last = !last || last->isBeforeInBlock(user) ? user : last;
    }
    moveAhead(load);
    if (!isUntouched(load, first))
      return;
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Value buffer = warp::AllocOp::create(builder, loc, operandBuffer(type, fast));
    Value slot = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    warp::CopyAsyncOp::create(builder, loc, load.getPtr(), buffer, slot, load.getMask(), Value());
    waits[first].push_back(warp::CommitOp::create(builder, loc));
    for (const OperandUse &use : uses) {
      builder.setInsertionPoint(use.dot);
      Value tile = warp::ReadOp::create(builder, loc, type, buffer, slot);
      if (use.isTransposed)
        tile = tile::TransOp::create(builder, loc, use.dot->getOperand(use.index).getType(), tile,
                                     builder.getDenseI32ArrayAttr({1, 0}));
      use.dot->setOperand(use.index, tile);
    }
    builder.setInsertionPointAfter(last);
    warp::ReleaseOp::create(builder, loc, buffer);
    erase(load);
  }

  // With its transposes.
  static void erase(Operation *op) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      erase(user);
    op->erase();
  }

  static bool mayWrite(Operation *op) {
    WalkResult found = op->walk([](Operation *each) {
      if (std::optional<tile::Access> access = tile::accessOf(each))
        return access->writes ? WalkResult::interrupt() : WalkResult::advance();
      bool isOrder = isa<warp::BarrierOp>(each);
      bool isKnown = isa<warp::WarpDialect>(each->getDialect()) || isMemoryEffectFree(each) ||
                     each->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isa<tile::LoadOp>(each);
      return isOrder || !isKnown ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found.wasInterrupted();
  }

  // Whether nothing writes to memory between two ops of a block.
  static bool isUntouched(Operation *from, Operation *to) {
    return llvm::none_of(llvm::make_range(from->getIterator(), to->getIterator()),
                         [](Operation &op) { return mayWrite(&op); });
  }

  // A product with what it reads right before it.
  static Operation *startOf(Operation *dot) {
    while (isa_and_nonnull<warp::ReadOp, tile::TransOp>(dot->getPrevNode()))
      dot = dot->getPrevNode();
    return dot;
  }

  // Right before the first product of the block, with all that its address and mask come from.
  static void moveAhead(tile::LoadOp load) {
    Block *block = load->getBlock();
    auto dots = block->getOps<tile::DotOp>();
    if (dots.empty() || load->isBeforeInBlock(*dots.begin()) || !isUntouched(*dots.begin(), load))
      return;
    Operation *place = startOf(*dots.begin());
    llvm::SetVector<Operation *> slice;
    if (!collectSlice(load, place, slice))
      return;
    llvm::SmallVector<Operation *> ops = slice.takeVector();
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ops)
      op->moveBefore(place);
  }

  // The ops behind `place` that `op` needs, and itself; false where one of them cannot move.
  static bool collectSlice(Operation *op, Operation *place, llvm::SetVector<Operation *> &slice) {
    constexpr size_t kMost = 64;
    if (op->getBlock() != place->getBlock() || op->isBeforeInBlock(place) || slice.contains(op))
      return true;
    bool moves = op != place && !op->getNumRegions() && (isa<tile::LoadOp>(op) || isMemoryEffectFree(op)) &&
                 !isa<tile::DotOp>(op) && slice.size() < kMost;
    if (!moves)
      return false;
    slice.insert(op);
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !operand.getDefiningOp() || collectSlice(operand.getDefiningOp(), place, slice);
    });
  }

  // Groups end in the order in which they began: those that began behind all of `commits` may be left.
  static void insertWait(Operation *place, ArrayRef<warp::CommitOp> commits) {
    Operation *latest = commits.front();
    for (warp::CommitOp commit : commits)
      latest = latest->isBeforeInBlock(commit) ? commit.getOperation() : latest;
    unsigned later = 0;
    bool isCounted = true;
    for (Operation &op : llvm::make_range(std::next(latest->getIterator()), place->getIterator())) {
      later += isa<warp::CommitOp>(op);
      isCounted &=
          !op.getNumRegions() || !op.walk([](warp::CommitOp) { return WalkResult::interrupt(); }).wasInterrupted();
    }
    OpBuilder builder(startOf(place));
    warp::WaitOp::create(builder, place->getLoc(), isCounted ? later : 0);
  }

  // What the loop waits for before its first product is younger: nothing is waited for twice. It may run no iteration, though.
  static void waitForLoop(scf::ForOp loop, ArrayRef<warp::CommitOp> commits) {
    auto dots = loop.getBody()->getOps<tile::DotOp>();
    auto waited = loop.getBody()->getOps<warp::WaitOp>();
    bool isInside = false;
    loop.walk([&](tile::DotOp dot) { isInside |= dot->getParentOp() != loop; });
    if (dots.empty() || waited.empty() || isInside || !(*waited.begin())->isBeforeInBlock(*dots.begin()))
      return insertWait(loop, commits);
    OpBuilder builder(loop.getContext());
    builder.setInsertionPointAfter(loop);
    warp::WaitOp::create(builder, loop.getLoc(), 0);
  }

  func::FuncOp kernel;
  const Options &options;
  analysis::AxisInfoAnalysis axes;
  llvm::MapVector<Operation *, llvm::SmallVector<warp::CommitOp>> waits; // by what they stand before
};

struct CopyOperandsPass : PlanPass<CopyOperandsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CopyOperandsPass)
  StringRef getArgument() const final { return "warp-copy-operands"; }
  StringRef getDescription() const final {
    return "Copy what products on tensor cores load straight into shared memory";
  }
  void runOnOperation() final {
    Options chosen = options();
    if (chosen.target.hasAsyncCopies && !chosen.stagesLate)
      OperandCopies(getOperation(), chosen).run();
  }
};

} // namespace

PassPtr createCopyOperandsPass(const Options &options) { return std::make_unique<CopyOperandsPass>(options); }

} // namespace nereid::gpu
