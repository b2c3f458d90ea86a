// ScaleLargest.cpp: the largest of numbers that were multiplied by a positive constant is their largest, multiplied. Where the
// products are only subtracted from then, each of them is one instruction with its difference: attention scales every score for
// its row's maximum else.
//
//   before  %s = arith.mulf %x, %positive;  %m = tile.reduce %s { maxnumf };  %d = arith.subf %s, …%m…
//   after   %s = arith.mulf %x, %positive;  %l = tile.reduce %x { maxnumf };  %m = arith.mulf %l, %positive;  %d = …
//
// The result is the same in every bit: rounding keeps the order of products.
#include "transforms/Passes.h"

#include "transforms/FoldedReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

bool takesLargestOrLeast(tile::ReduceOp reduce) {
  Block &combine = reduce.getCombine().front();
  return reduce.getSources().size() == 1 && llvm::hasSingleElement(combine.without_terminator()) &&
         isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp, arith::MinimumFOp>(combine.front());
}

// The factor, if it is one positive number, and finite.
std::optional<APFloat> positiveFactor(arith::MulFOp scaled) {
  DenseFPElementsAttr factors;
  if (matchPattern(scaled.getRhs(), m_Constant(&factors)) && factors.isSplat()) {
    APFloat value = factors.getSplatValue<APFloat>();
    if (value.isFiniteNonZero() && !value.isNegative())
      return value;
  }
  return std::nullopt;
}

bool isOnlySubtracted(arith::MulFOp scaled, tile::ReduceOp reduce) {
  return llvm::all_of(scaled->getUsers(),
                      [&](Operation *user) { return user == reduce || isa<arith::SubFOp, arith::AddFOp>(user); });
}

void scaleLargest(tile::ReduceOp reduce) {
  auto scaled = reduce.getSources().front().getDefiningOp<arith::MulFOp>();
  std::optional<APFloat> factor = scaled ? positiveFactor(scaled) : std::nullopt;
  if (!factor || !isOnlySubtracted(scaled, reduce))
    return;
  OpBuilder builder(reduce);
  Type type = reduce.getResult(0).getType();
  Value largest = reduceLike(builder, reduce, scaled.getLhs(), reduce.getAxis(), type);
  TypedAttr splat = FloatAttr::get(getElementTypeOrSelf(type), *factor);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    splat = DenseElementsAttr::get(tile, *factor);
  Value constant = arith::ConstantOp::create(builder, reduce.getLoc(), splat);
  Value result = arith::MulFOp::create(builder, reduce.getLoc(), largest, constant, scaled.getFastmath());
  reduce.getResult(0).replaceAllUsesWith(result);
  reduce.erase();
}

struct ScaleLargestPass : PassWrapper<ScaleLargestPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScaleLargestPass)
  StringRef getArgument() const final { return "tile-scale-largest"; }
  StringRef getDescription() const final { return "Multiply the largest of a row instead of each number before"; }
  void runOnOperation() final {
    llvm::SmallVector<tile::ReduceOp> found;
    getOperation()->walk([&](tile::ReduceOp reduce) {
      if (takesLargestOrLeast(reduce))
        found.push_back(reduce);
    });
    for (tile::ReduceOp reduce : found)
      scaleLargest(reduce);
  }
};

} // namespace

std::unique_ptr<Pass> createScaleLargestPass() { return std::make_unique<ScaleLargestPass>(); }

} // namespace nereid::transforms
