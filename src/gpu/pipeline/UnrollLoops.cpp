// UnrollLoops.cpp: a loop of few iterations, as many as its bounds say, in which threads do not meet: written out, so that the
// loads of all iterations are on their way at once. The assembler does so only where little is done with what was loaded.
//
//   before  for k in 0, 2048, 4096 { %x = tile.load %p(k);  … }
//   after   %x0 = tile.load %p(0);  …;  %x1 = tile.load %p(2048);  …
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "dialect/Tile.h"
#include "transforms/UnrollLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace nereid::gpu {

// Whether it is known in each iteration which way it goes: the first of them is told from the others so.
static bool isDecided(scf::IfOp op, scf::ForOp loop) {
  auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
  return compare && llvm::all_of(compare->getOperands(), [&](Value value) {
           return value == loop.getInductionVar() || getConstantIntValue(value);
         });
}

// Whether an op lets the loads of two iterations be under way together.
static bool isFree(Operation &op, scf::ForOp loop) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile();
  if (auto choice = dyn_cast<scf::IfOp>(op); choice && isDecided(choice, loop))
    return llvm::all_of(choice->getRegions(), [&](Region &region) {
      return region.empty() || llvm::all_of(region.front(), [&](Operation &inner) {
               return !isa<tile::LoadOp>(inner) && isFree(inner, loop);
             });
    });
  return isMemoryEffectFree(&op) && !op.getNumRegions() && !isa<tile::DotOp>(op);
}

// What a thread holds of the tiles that one iteration loads, in 32-bit registers; nothing where there are none, or where
// anything else keeps the loads of two iterations apart.
static std::optional<int64_t> loadedRegisters(scf::ForOp loop, const Options &options) {
  int64_t bits = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isFree(op, loop))
      return std::nullopt;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (auto tile = load ? dyn_cast<RankedTensorType>(load.getType()) : nullptr)
      bits += tile.getNumElements() * (tile.getElementType().isIntOrFloat() ? tile.getElementTypeBitWidth() : 64);
  }
  if (bits == 0)
    return std::nullopt;
  return options.registersFor(bits);
}

static void unrollLoops(func::FuncOp kernel, const Options &options) {
  // The loads of many warps fill what a multiprocessor has under way in fewer iterations, and other blocks compute beside them.
  const int64_t kMostIterations = options.numWarps < 16 ? 16 : 8, kMostRegisters = 64;
  llvm::SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    std::optional<APInt> count = loop.getStaticTripCount();
    std::optional<int64_t> registers = loadedRegisters(loop, options);
    if (count && registers && count->ugt(1) && count->ule(kMostIterations) &&
        int64_t(count->getZExtValue()) * *registers <= kMostRegisters)
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    OpBuilder builder(loop);
    loop->replaceAllUsesWith(transforms::copyIterations(builder, loop, loop.getLowerBound(), loop.getInitArgs(),
                                                        loop.getStaticTripCount()->getZExtValue(),
                                                        *getConstantIntValue(loop.getStep())));
    loop.erase();
  }
  if (loops.empty())
    return;
  RewritePatternSet patterns(kernel.getContext());
  scf::IfOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  (void)applyPatternsGreedily(kernel, std::move(patterns));
}

namespace {

struct UnrollLoopsPass : PlanPass<UnrollLoopsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnrollLoopsPass)
  StringRef getArgument() const final { return "warp-unroll-loops"; }
  StringRef getDescription() const final { return "Write out short loops, so that all of their loads are under way"; }
  void runOnOperation() final { unrollLoops(getOperation(), options()); }
};

} // namespace

PassPtr createUnrollLoopsPass(const Options &options) { return std::make_unique<UnrollLoopsPass>(options); }

} // namespace nereid::gpu
