// PromoteProducts.cpp: the narrowest type that tensor cores multiply and that holds the operands exactly.
//
//   8-bit floats that the GPU's tensor cores do not know      as f16
//   f32 that are all 16-bit floats, where TF32 was allowed    as these: the same result, at twice the rate, and they
//                                                             need not pass through registers on their way to wgmma
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::gpu {

static void promoteProducts(func::FuncOp kernel, const Options &options) {
  kernel.walk([&](tile::DotOp dot) {
    auto isKnown = [&](Type type) { return options.target.hasFp8 && isa<Float8E4M3FNType, Float8E5M2Type>(type); };
    Type lhs = dot.getLhs().getType().getElementType(), rhs = dot.getRhs().getType().getElementType();
    auto isByte = [](Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; };
    if (!isByte(lhs) || !isByte(rhs) || (isKnown(lhs) && isKnown(rhs)))
      return;
    OpBuilder builder(dot);
    for (unsigned index : {0u, 1u}) {
      Value operand = dot->getOperand(index);
      Type wide = cast<RankedTensorType>(operand.getType()).clone(builder.getF16Type());
      dot->setOperand(index, arith::ExtFOp::create(builder, dot.getLoc(), wide, operand));
    }
  });
}

// Whether every value of the tile is one of `type` by the way it was made, and that tile.
static bool isExactly(Value tile, Type type, unsigned depth = 0) {
  Operation *op = tile.getDefiningOp();
  if (!op || depth > 6)
    return false;
  if (auto wide = dyn_cast<arith::ExtFOp>(op)) {
    auto from = cast<RankedTensorType>(wide.getIn().getType()).getElementType();
    return from == type || isa<Float8E4M3FNType, Float8E5M2Type>(from);
  }
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return isExactly(trans.getSource(), type, depth + 1);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isExactly(select.getTrueValue(), type, depth + 1) && isExactly(select.getFalseValue(), type, depth + 1);
  DenseElementsAttr constant;
  return matchPattern(tile, m_Constant(&constant)) && constant.isSplat() && constant.getSplatValue<APFloat>().isZero();
}

static Value narrow(OpBuilder &builder, Value tile, Type type) {
  Operation *op = tile.getDefiningOp();
  auto narrowType = cast<RankedTensorType>(tile.getType()).clone(type);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(op);
  if (auto wide = dyn_cast<arith::ExtFOp>(op))
    return wide.getIn().getType() == narrowType
               ? wide.getIn()
               : arith::ExtFOp::create(builder, op->getLoc(), narrowType, wide.getIn()).getResult();
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return tile::TransOp::create(builder, op->getLoc(), narrowType, narrow(builder, trans.getSource(), type),
                                 trans.getOrder());
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return arith::SelectOp::create(builder, op->getLoc(), select.getCondition(),
                                   narrow(builder, select.getTrueValue(), type),
                                   narrow(builder, select.getFalseValue(), type));
  return arith::ConstantOp::create(builder, op->getLoc(), narrowType,
                                   DenseElementsAttr::get(narrowType, builder.getFloatAttr(type, 0.0)));
}

// TF32 holds every f16 and bf16, so that the products of both ways are the same.
static void narrowProducts(func::FuncOp kernel, const Options &options) {
  constexpr int64_t kLeastDepth = 16; // of the instruction for 16-bit types
  kernel.walk([&](tile::DotOp dot) {
    auto lhs = dot.getLhs().getType();
    if (!options.target.hasMma || !lhs.getElementType().isF32() || !dot.getRhs().getType().getElementType().isF32() ||
        !dot.getAcc().getType().getElementType().isF32() || dot.getPrecision() != tile::InputPrecision::TF32 ||
        lhs.getShape().back() < kLeastDepth)
      return;
    OpBuilder builder(dot);
    for (Type type : {Type(builder.getF16Type()), Type(builder.getBF16Type())}) {
      if (!isExactly(dot.getLhs(), type) || !isExactly(dot.getRhs(), type))
        continue;
      for (unsigned index : {0u, 1u})
        dot->setOperand(index, narrow(builder, dot->getOperand(index), type));
      return;
    }
  });
}

namespace {

struct PromoteProductsPass : PlanPass<PromoteProductsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PromoteProductsPass)
  StringRef getArgument() const final { return "warp-promote-products"; }
  StringRef getDescription() const final { return "Multiply in the narrowest type of tensor cores that is exact"; }
  void runOnOperation() final {
    promoteProducts(getOperation(), options());
    narrowProducts(getOperation(), options());
  }
};

} // namespace

PassPtr createPromoteProductsPass(const Options &options) { return std::make_unique<PromoteProductsPass>(options); }

} // namespace nereid::gpu
