// ScaleLargest.cpp: scores of attention are multiplied as seldom as possible.
//
// The largest of numbers that were multiplied by a positive constant is their largest, multiplied: the same in every bit, since rounding
// keeps the order of products. What is left of the products is subtracted from, and each is one instruction with its difference.
//
//   before  %s = arith.mulf %x, %positive;  %m = tile.reduce %s { maxnumf };  %d = arith.subf %s, …%m…
//   after   %s = arith.mulf %x, %positive;  %l = tile.reduce %x { maxnumf };  %m = arith.mulf %l, %positive;  %d = …
//
// A power of two and another factor are one: nothing is rounded in between. (Numbers below the normal ones are; the difference, as the one
// instruction that it becomes, does not see that.) So are any two where differences go into exponentials alone, which the hardware has not
// to the last bit: the product of the factors is rounded instead of the numbers between them, and no error grows.
//
//   before  %t = arith.mulf %x, %eighth;  %u = arith.select %mask, %t, %minusInfinity;  %s = arith.mulf %u, %c
//   after   %u = arith.select %mask, %x, %minusInfinity;  %s = arith.mulf %u, %c / 8
#include "transforms/Passes.h"

#include "transforms/FoldedReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

bool takesLargestOrLeast(Operation *op) {
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  if (!reduce || reduce.getSources().size() != 1)
    return false;
  Block &combine = reduce.getCombine().front();
  return llvm::hasSingleElement(combine.without_terminator()) &&
         isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp, arith::MinimumFOp>(combine.front());
}

bool isOnlySubtracted(arith::MulFOp scaled) {
  return llvm::all_of(scaled->getUsers(), [](Operation *user) {
    return takesLargestOrLeast(user) || isa<arith::SubFOp, arith::AddFOp>(user);
  });
}

std::optional<APFloat> splatOf(Value value) {
  DenseFPElementsAttr elements;
  bool isSplat = matchPattern(value, m_Constant(&elements)) && elements.isSplat();
  return isSplat ? std::optional(elements.getSplatValue<APFloat>()) : std::nullopt;
}

// The factor, if it is one positive number, and finite.
std::optional<APFloat> positiveFactor(arith::MulFOp scaled) {
  std::optional<APFloat> factor = splatOf(scaled.getRhs());
  return factor && factor->isFiniteNonZero() && !factor->isNegative() ? factor : std::nullopt;
}

Value splat(OpBuilder &builder, Location loc, Type type, const APFloat &value) {
  TypedAttr attribute = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    attribute = DenseElementsAttr::get(tile, value);
  return arith::ConstantOp::create(builder, loc, attribute);
}

void scaleLargest(tile::ReduceOp reduce) {
  auto scaled = reduce.getSources().front().getDefiningOp<arith::MulFOp>();
  std::optional<APFloat> factor = scaled ? positiveFactor(scaled) : std::nullopt;
  if (!factor || !isOnlySubtracted(scaled))
    return;
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  Type type = reduce.getResult(0).getType();
  Value largest = reduceLike(builder, reduce, scaled.getLhs(), reduce.getAxis(), type);
  Value constant = splat(builder, loc, type, *factor);
  Value result = arith::MulFOp::create(builder, loc, largest, constant, scaled.getFastmath());
  reduce.getResult(0).replaceAllUsesWith(result);
  reduce.erase();
}

bool isOnlyForExponentials(arith::MulFOp scaled) {
  return llvm::all_of(scaled->getUsers(), [](Operation *user) {
    return takesLargestOrLeast(user) ||
           llvm::all_of(user->getUsers(), [](Operation *op) { return isa<math::ExpOp, math::Exp2Op>(op); });
  });
}

// The product of both, where the first one makes no number larger, or the second one none smaller: what was infinite between them is so
// behind them.
std::optional<APFloat> mergedFactor(arith::MulFOp first, arith::MulFOp second) {
  std::optional<APFloat> left = positiveFactor(first), right = positiveFactor(second);
  APFloat inverse(0.0f);
  if (!left || !right || (ilogb(*left) > 0 && ilogb(*right) < 0) ||
      !(left->getExactInverse(&inverse) || isOnlyForExponentials(second)))
    return std::nullopt;
  APFloat product = *left;
  product.multiply(*right, APFloat::rmNearestTiesToEven);
  return product.isNormal() ? std::optional(product) : std::nullopt;
}

// What is the same number with a factor, or an infinity: masks of these, one in the other, that nothing else uses.
Value behindMasks(Value value) {
  while (auto select = value.getDefiningOp<arith::SelectOp>()) {
    std::optional<APFloat> other = splatOf(select.getFalseValue());
    if (!select->hasOneUse() || !other || !other->isInfinity())
      break;
    value = select.getTrueValue();
  }
  return value;
}

void mergeScales(arith::MulFOp second) {
  auto first = behindMasks(second.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!first || !first->hasOneUse() || !isOnlySubtracted(second))
    return;
  std::optional<APFloat> factor = mergedFactor(first, second);
  if (!factor)
    return;
  OpBuilder builder(second);
  second.getRhsMutable().assign(splat(builder, second.getLoc(), second.getType(), *factor));
  first.replaceAllUsesWith(first.getLhs()); // nothing uses it now
}

struct ScaleLargestPass : PassWrapper<ScaleLargestPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScaleLargestPass)
  StringRef getArgument() const final { return "tile-scale-largest"; }
  StringRef getDescription() const final { return "Multiply the largest of a row instead of each number before"; }
  void runOnOperation() final {
    llvm::SmallVector<arith::MulFOp> products;
    llvm::SmallVector<tile::ReduceOp> reductions;
    getOperation()->walk([&](Operation *op) {
      if (auto product = dyn_cast<arith::MulFOp>(op))
        products.push_back(product);
      else if (takesLargestOrLeast(op))
        reductions.push_back(cast<tile::ReduceOp>(op));
    });
    for (arith::MulFOp product : llvm::reverse(products)) // the later of two first
      mergeScales(product);
    llvm::for_each(reductions, scaleLargest);
  }
};

} // namespace

std::unique_ptr<Pass> createScaleLargestPass() { return std::make_unique<ScaleLargestPass>(); }

} // namespace nereid::transforms
