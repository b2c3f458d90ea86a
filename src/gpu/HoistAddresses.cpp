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

void distribute(scf::ForOp loop, arith::MulIOp product) {
  auto isStride = [&](Value value) { return splatOf(value) && isInvariant(loop, splatOf(value)); };
  auto factors = ordered(product, isStride);
  if (!factors || !isa<RankedTensorType>(product.getType()))
    return;
  auto [stride, index] = *factors;
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum || isInvariant(loop, index))
    return;
  auto terms = ordered(sum, [&](Value value) { return splatOf(value) && !isInvariant(loop, splatOf(value)); });
  if (!terms || !isInvariant(loop, terms->second))
    return;
  OpBuilder builder(product);
  Location loc = product.getLoc();
  Value turn = arith::MulIOp::create(builder, loc, splatOf(terms->first), splatOf(stride));
  Value turns = tile::SplatOp::create(builder, loc, product.getType(), turn);
  builder.setInsertionPoint(loop);
  Value step = tile::SplatOp::create(builder, loc, product.getType(), splatOf(stride));
  Value shared = arith::MulIOp::create(builder, loc, terms->second, step);
  builder.setInsertionPoint(product);
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
