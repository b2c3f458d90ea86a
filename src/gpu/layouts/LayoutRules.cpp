#include "gpu/layouts/LayoutRules.h"

#include "dialect/Tile.h"
#include "gpu/dialect/Warp.h"
#include "layout/LayoutMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::gpu {

unsigned groupOf(Operation *op) {
  if (auto map = dyn_cast<tile::MapOp>(op))
    return map.getPack();
  auto assembly = dyn_cast<tile::InlineAsmOp>(op);
  return assembly ? assembly.getPack() : 1;
}

bool isElementwise(Operation *op) {
  if (isa<arith::ConstantOp>(op) || groupOf(op) > 1)
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tile::AddPtrOp, tile::IntToPtrOp, tile::PtrToIntOp, tile::PtrCastOp, tile::HintOp, tile::DivRnOp,
             tile::SqrtRnOp, tile::ExternOp, tile::InlineAsmOp>(op);
}

bool isFlexible(Operation *op) {
  if (isa<arith::ConstantOp, ub::PoisonOp, tile::ArangeOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp,
          tile::ReshapeOp, tile::TransOp, warp::ReadOp>(op))
    return true;
  return isElementwise(op) && isMemoryEffectFree(op) && op->getNumResults() > 0;
}

static llvm::SmallVector<unsigned, 4> permutationOf(ArrayRef<int32_t> order) { return {order.begin(), order.end()}; }

// The layout of a broadcast's source: the axes where it has one element are shrunk.
static LinearLayout beforeBroadcast(LinearLayout layout, ArrayRef<int64_t> shape) {
  auto wide = layout.shape();
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != wide[axis])
      layout = layout::shrinkAxisLayout(layout, axis);
  return layout;
}

LinearLayout concatenateLayout(const LinearLayout &layout, unsigned axis) {
  layout::LinearLayout twice = layout::LinearLayout::identity(layout::Dim::Register, layout::axisDim(axis), 1);
  return layout.product(twice);
}

LinearLayout beforeConcatenation(const LinearLayout &layout, unsigned axis) {
  using layout::Dim;
  auto shape = layout.shape();
  shape[axis] /= 2;
  unsigned bits = layout.bits(Dim::Register) - 1;
  LinearLayout result(layout::Space::threads(bits, layout.bits(Dim::Lane), layout.bits(Dim::Warp)),
                      layout::Space::tile(shape));
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < result.bits(dim); ++bit)
      result.setColumn(dim, bit, result.out().pointAt(layout.out().coordinates(layout.column(dim, bit))));
  return result;
}

LinearLayout operandLayout(Operation *op, unsigned index, const LinearLayout &result) {
  auto shape = tile::shapeOf(op->getOperand(index).getType());
  return llvm::TypeSwitch<Operation *, LinearLayout>(op)
      .Case<tile::ExpandDimsOp, tile::ReshapeOp>([&](auto) { return layout::reshapeLayout(result, shape); })
      .Case<tile::BroadcastOp>([&](auto) { return beforeBroadcast(result, shape); })
      .Case<tile::TransOp>([&](auto trans) {
        return layout::transposeLayout(result, layout::invertPermutation(permutationOf(trans.getOrder())));
      })
      .Case<tile::SplitOp>([&](auto) { return layout::joinLayout(result); })
      .Case<tile::JoinOp>([&](auto) { return *layout::splitLayout(result); })
      .Case<tile::CatOp>([&](auto cat) { return beforeConcatenation(result, cat.getAxis()); })
      .Default([&](Operation *) { return result; });
}

std::optional<LinearLayout> resultLayout(Operation *op, const LinearLayout &source) {
  using Found = std::optional<LinearLayout>;
  auto shape = tile::shapeOf(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<tile::ExpandDimsOp, tile::ReshapeOp>([&](auto) { return Found(layout::reshapeLayout(source, shape)); })
      .Case<tile::BroadcastOp>([&](auto) { return Found(); })
      .Case<tile::TransOp>(
          [&](auto trans) { return Found(layout::transposeLayout(source, permutationOf(trans.getOrder()))); })
      .Case<tile::JoinOp>([&](auto) { return Found(layout::joinLayout(source)); })
      .Case<tile::CatOp>([&](auto cat) { return Found(concatenateLayout(source, cat.getAxis())); })
      .Case<tile::SplitOp>([&](auto) { return layout::splitLayout(source); })
      .Case<tile::ReduceOp>([&](auto reduce) { return Found(layout::sliceLayout(source, reduce.getAxis())); })
      .Default([&](Operation *) { return Found(source); });
}

} // namespace nereid::gpu
