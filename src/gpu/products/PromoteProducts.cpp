// PromoteProducts.cpp: 8-bit floats that the GPU's tensor cores do not know are multiplied as f16, which holds them
// exactly.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

namespace {

struct PromoteProductsPass : PlanPass<PromoteProductsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PromoteProductsPass)
  StringRef getArgument() const final { return "warp-promote-products"; }
  StringRef getDescription() const final { return "Multiply 8-bit floats that tensor cores do not know as f16"; }
  void runOnOperation() final { promoteProducts(getOperation(), options()); }
};

} // namespace

PassPtr createPromoteProductsPass(const Options &options) { return std::make_unique<PromoteProductsPass>(options); }

} // namespace nereid::gpu
