// PromoteProducts.cpp: 8-bit floats that the GPU's tensor cores do not know are multiplied as f16, which holds them exactly.
#include "gpu/PipelineLoops.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::gpu {

void promoteProducts(func::FuncOp kernel, const Options &options) {
  kernel.walk([&](tile::DotOp dot) {
    auto isKnown = [&](Type type) { return options.capability() >= 89 && isa<Float8E4M3FNType, Float8E5M2Type>(type); };
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

} // namespace nereid::gpu
