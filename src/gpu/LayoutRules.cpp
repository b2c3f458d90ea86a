#include "gpu/LayoutRules.h"

#include "dialect/Tile.h"
#include "layout/LayoutMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::gpu {

bool isElementwise(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tile::AddPtrOp, tile::IntToPtrOp, tile::PtrToIntOp, tile::PtrCastOp, tile::HintOp, tile::DivRnOp,
             tile::SqrtRnOp, tile::ExternOp, tile::InlineAsmOp>(op);
}

bool isFlexible(Operation *op) {
  if (isa<arith::ConstantOp, ub::PoisonOp, tile::ArangeOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp,
          tile::ReshapeOp, tile::TransOp>(op))
    return true;
  return isElementwise(op) && isMemoryEffectFree(op) && op->getNumResults() == 1;
}

LinearLayout operandLayout(Operation *op, unsigned index, const LinearLayout &result) {
  auto shape = tile::shapeOf(op->getOperand(index).getType());
  return llvm::TypeSwitch<Operation *, LinearLayout>(op)
      .Case<tile::ExpandDimsOp, tile::ReshapeOp>([&](auto) { return layout::reshaped(result, shape); })
      .Case<tile::BroadcastOp>([&](auto) { return layout::withUnitAxes(result, shape); })
      .Case<tile::TransOp>(
          [&](auto trans) { return layout::transposed(result, layout::inverseOrder(trans.getOrder())); })
      .Case<tile::SplitOp>([&](auto) { return layout::joined(result); })
      .Default([&](Operation *) { return result; });
}

std::optional<LinearLayout> resultLayout(Operation *op, const LinearLayout &source) {
  using Found = std::optional<LinearLayout>;
  auto shape = tile::shapeOf(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<tile::ExpandDimsOp, tile::ReshapeOp>([&](auto) { return Found(layout::reshaped(source, shape)); })
      .Case<tile::BroadcastOp>([&](auto) { return Found(); })
      .Case<tile::TransOp>([&](auto trans) { return Found(layout::transposed(source, trans.getOrder())); })
      .Case<tile::JoinOp>([&](auto) { return Found(layout::joined(source)); })
      .Case<tile::CatOp>([&](auto cat) { return Found(layout::concatenated(source, cat.getAxis())); })
      .Case<tile::SplitOp>([&](auto) { return layout::separated(source); })
      .Case<tile::ReduceOp>([&](auto reduce) { return Found(layout::sliced(source, reduce.getAxis())); })
      .Default([&](Operation *) { return Found(source); });
}

} // namespace nereid::gpu
