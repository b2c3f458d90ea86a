// HoistAddresses.cpp: products of indices with strides leave loops as far as they do not depend on the turn. Sums and
// products of integers wrap around, so this is exact.
//
//   before  for k { %r = splat(k) + %rows;  %o = %r * %stride }
//   after   %s = %rows * %stride
//           for k { %o = splat(k * stride) + %s }
//
// Multiplications of 64 bits beside tensor-core instructions cost more than they seem to: they are chains of several.
#include "gpu/HoistAddresses.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

bool isInvariant(scf::ForOp loop, Value value) { return loop.isDefinedOutsideOfLoop(value); }

// The scalar that all elements are, where it is seen.
Value splatOf(Value tile) {
  auto splat = tile.getDefiningOp<tile::SplatOp>();
  return splat ? splat.getSource() : Value();
}

// The operands of `op` with the one for which `isFirst` holds in front, or nothing.
template <class Predicate> std::optional<std::pair<Value, Value>> ordered(Operation *op, Predicate isFirst) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (isFirst(left))
    return std::pair(left, right);
  if (isFirst(right))
    return std::pair(right, left);
  return std::nullopt;
}

// The sum behind ops that only reshape or widen it; those ops, the last one first.
arith::AddIOp sumBehind(Value index, llvm::SmallVectorImpl<Operation *> &passed) {
  Operation *op = index.getDefiningOp();
  while (isa_and_nonnull<tile::ExpandDimsOp, tile::ReshapeOp, arith::ExtSIOp>(op)) {
    passed.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  return dyn_cast_or_null<arith::AddIOp>(op);
}

// Widening a sum is widening its terms if the sum does not wrap around. That of a loop's index and a short range does
// so only where the index is about to pass 2^31: as part of an address it would then be far outside of everything.
bool mayWiden(scf::ForOp loop, Value start, Value rows) {
  auto range = rows.getDefiningOp<tile::ArangeOp>();
  return start == loop.getInductionVar() && range && int32_t(range.getStart()) >= 0;
}

// `value` through the same ops again.
Value repeat(OpBuilder &builder, llvm::ArrayRef<Operation *> passed, Value value) {
  for (Operation *op : llvm::reverse(passed)) {
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, value);
    value = copy->getResult(0);
  }
  return value;
}

void distribute(scf::ForOp loop, arith::MulIOp product) {
  auto isStride = [&](Value value) { return splatOf(value) && isInvariant(loop, splatOf(value)); };
  auto factors = ordered(product, isStride);
  if (!factors || !isa<RankedTensorType>(product.getType()))
    return;
  auto [stride, index] = *factors;
  llvm::SmallVector<Operation *> passed;
  arith::AddIOp sum = sumBehind(index, passed);
  if (!sum || isInvariant(loop, sum.getResult()))
    return;
  auto terms = ordered(sum, [&](Value value) { return splatOf(value) && !isInvariant(loop, splatOf(value)); });
  if (!terms || !isInvariant(loop, terms->second))
    return;
  Value start = splatOf(terms->first);
  bool isWidened = start.getType() != getElementTypeOrSelf(product.getType());
  if (isWidened && !mayWiden(loop, start, terms->second))
    return;
  OpBuilder builder(loop);
  Location loc = product.getLoc();
  Value step = tile::SplatOp::create(builder, loc, product.getType(), splatOf(stride));
  Value shared = arith::MulIOp::create(builder, loc, repeat(builder, passed, terms->second), step);
  builder.setInsertionPoint(product);
  if (isWidened)
    start = arith::ExtSIOp::create(builder, loc, splatOf(stride).getType(), start);
  Value turn = arith::MulIOp::create(builder, loc, start, splatOf(stride));
  Value turns = tile::SplatOp::create(builder, loc, product.getType(), turn);
  product.replaceAllUsesWith(arith::AddIOp::create(builder, loc, turns, shared).getResult());
  product.erase();
}

} // namespace

void hoistAddresses(func::FuncOp kernel) {
  kernel.walk([](scf::ForOp loop) {
    moveLoopInvariantCode(loop);
    llvm::SmallVector<arith::MulIOp> products;
    loop.getBody()->walk([&](arith::MulIOp product) {
      if (product->getBlock() == loop.getBody())
        products.push_back(product);
    });
    for (arith::MulIOp product : products)
      distribute(loop, product);
  });
}

} // namespace nereid::gpu
