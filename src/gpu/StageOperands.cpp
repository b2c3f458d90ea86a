// StageOperands.cpp: wgmma reads its operands from shared memory. What is not there yet is put there where it is
// computed, so that a tile from outside of a loop is stored once.
#include "gpu/DotPlan.h"
#include "gpu/Operands.h"
#include "gpu/PipelineLoops.h"

#include "layout/SharedLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::gpu {

// Whether the tile comes out of another product without leaving registers: then it can stay there as operand A.
static bool comesFromProduct(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 12)
    return false;
  if (isa<tile::DotOp>(op))
    return true;
  return isElementwise(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
           return isa<RankedTensorType>(operand.getType()) && comesFromProduct(operand, depth + 1);
         });
}

static void stage(tile::DotOp dot, unsigned index) {
  Value tile = dot->getOperand(index);
  auto type = cast<RankedTensorType>(tile.getType());
  OpBuilder builder(dot.getContext());
  Location loc = dot.getLoc();
  if (Operation *op = tile.getDefiningOp())
    builder.setInsertionPointAfter(op);
  else
    builder.setInsertionPointToStart(cast<BlockArgument>(tile).getOwner());
  // Along K: right for every type.
  unsigned fast = index == 0 ? 1 : 0;
  unsigned bytes = std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
  llvm::SmallVector<unsigned, 4> order{fast, 1 - fast};
  unsigned swizzle = layout::widestSwizzle(type.getShape(), bytes, order);
  auto buffer = warp::AllocOp::create(
      builder, loc, warp::BufferType::get(dot.getContext(), type.getShape(), type.getElementType(), 1, fast, swizzle));
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  warp::StoreOp::create(builder, loc, tile, buffer, zero);
  Block *home = builder.getInsertionBlock();
  Operation *last = home->findAncestorOpInBlock(*dot);
  builder.setInsertionPoint(dot);
  dot->setOperand(index, warp::ReadOp::create(builder, loc, type, buffer, zero));
  builder.setInsertionPointAfter(last);
  warp::ReleaseOp::create(builder, loc, buffer);
}

void stageOperands(func::FuncOp kernel, const Options &options) {
  llvm::SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  for (tile::DotOp dot : dots) {
    if (!usesWgmma(dot, options))
      continue;
    if (!sharedOperand(dot.getLhs(), 0) && !comesFromProduct(dot.getLhs()))
      stage(dot, 0);
    if (!sharedOperand(dot.getRhs(), 1))
      stage(dot, 1);
  }
}

} // namespace nereid::gpu
