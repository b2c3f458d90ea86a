// HoistNumbers.cpp: in a kernel with products, numbers that are loaded between and behind its loops are asked for where it starts. How
// many blocks there are, and which comes first, is needed before anything else: one such load behind the other, and behind the
// tiles that are waited for, is a microsecond in which no product runs.
//
//   before  %q = tile.load %qs;  %n = tile.load %counts;  for 0 to %n { … };  %m = tile.load %more;  for 0 to %m { … }
//   after   %n = tile.load %counts;  %m = tile.load %more;  %q = tile.load %qs;  for 0 to %n { … };  for 0 to %m { … }
//
// No load passes something that writes, or that waits for other programs.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/memory/OrderMemory.h"

#include "dialect/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

bool onlyReads(Operation *op) {
  return !op->walk([](Operation *inside) {
              auto effects = dyn_cast<MemoryEffectOpInterface>(inside);
              bool isFrame = inside->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
              bool isHarmless =
                  isFrame || isMemoryEffectFree(inside) || (effects && effects.onlyHasEffect<MemoryEffects::Read>());
              return isHarmless && !mayWaitForOthers(inside) ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

class NumberHoister {
public:
  explicit NumberHoister(func::FuncOp kernel) : body(&kernel.getBody().front()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(*body)) {
      auto load = dyn_cast<tile::LoadOp>(op);
      if (load && !isa<RankedTensorType>(load.getType()) && !load.getIsVolatile())
        hoist(load);
      else if (!onlyReads(&op))
        last = &op;
    }
  }

private:
  // Behind `last`, with what it needs.
  void hoist(tile::LoadOp load) {
    llvm::SetVector<Operation *> needed;
    if (!need(load, needed))
      return;
    llvm::SmallVector<Operation *> ops = needed.takeVector();
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ops) {
      if (last)
        op->moveAfter(last);
      else
        op->moveBefore(&body->front());
      last = op;
    }
  }

  bool need(Operation *op, llvm::SetVector<Operation *> &needed) {
    constexpr size_t kMost = 32; // ops
    bool isThere = op->getBlock() != body || op == last || (last && op->isBeforeInBlock(last));
    if (isThere || !needed.insert(op))
      return true;
    bool isPlain = isa<tile::LoadOp>(op) || (isMemoryEffectFree(op) && op->getNumRegions() == 0);
    return isPlain && needed.size() <= kMost && llvm::all_of(op->getOperands(), [&](Value operand) {
             Operation *source = operand.getDefiningOp();
             return !isa<RankedTensorType>(operand.getType()) && (!source || need(source, needed));
           });
  }

  Block *body;
  Operation *last = nullptr; // what loads stay behind: the last one that writes, or that was moved
};

struct HoistNumbersPass : PlanPass<HoistNumbersPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HoistNumbersPass)
  StringRef getArgument() const final { return "warp-hoist-numbers"; }
  StringRef getDescription() const final { return "Load the numbers of kernels with products where these start"; }
  void runOnOperation() final {
    bool hasProduct = getOperation().walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (hasProduct)
      NumberHoister(getOperation()).run();
  }
};

} // namespace

PassPtr createHoistNumbersPass(const Options &options) { return std::make_unique<HoistNumbersPass>(options); }

} // namespace nereid::gpu
