#include "gpu/products/Operands.h"

#include "gpu/layouts/LayoutRules.h"
#include "gpu/products/DotPlan.h"
#include "layout/SharedLayouts.h"

using namespace mlir;

namespace nereid::gpu {

std::optional<SharedOperand> sharedOperand(Value tile, unsigned index) {
  SharedOperand operand;
  if (auto trans = tile.getDefiningOp<tile::TransOp>(); trans && trans.getOrder() == ArrayRef<int32_t>{1, 0}) {
    operand.isTransposed = true;
    tile = trans.getSource();
  }
  operand.read = tile.getDefiningOp<warp::ReadOp>();
  if (!operand.read || operand.read.getBuffer().getType().getShape().size() != 2)
    return std::nullopt;
  unsigned axisK = index == 0 ? 1 : 0;
  if (operand.read.getBuffer().getType().elementBytes() != 2 && operand.fastAxis() != axisK)
    return std::nullopt;
  return operand;
}

static bool isTakenFromShared(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<tile::TransOp>(user))
    return llvm::all_of(user->getResult(0).getUses(), isTakenFromShared);
  auto dot = dyn_cast<tile::DotOp>(user);
  if (!dot || use.getOperandNumber() > 1)
    return false;
  return warp::instructionOf(dot) == warp::Instruction::Wgmma && sharedOperand(use.get(), use.getOperandNumber());
}

bool isOnlyForTensorCores(warp::ReadOp read) { return llvm::all_of(read.getResult().getUses(), isTakenFromShared); }

std::optional<unsigned> fastAxisOf(Value tile, const analysis::AxisInfoAnalysis *axes, unsigned depth) {
  Operation *op = tile.getDefiningOp();
  if (!op || depth > 12)
    return std::nullopt;
  if (auto read = dyn_cast<warp::ReadOp>(op))
    return read.getBuffer().getType().getFast();
  if (auto load = dyn_cast<tile::LoadOp>(op); load && axes) {
    const auto &runs = axes->of(load.getPtr()).contiguity;
    if (runs.size() != 2 || runs[0] == runs[1])
      return std::nullopt;
    return runs[0] > runs[1] ? 0 : 1;
  }
  if (auto trans = dyn_cast<tile::TransOp>(op); trans && trans.getOrder() == ArrayRef<int32_t>{1, 0}) {
    std::optional<unsigned> fast = fastAxisOf(trans.getSource(), axes, depth + 1);
    return fast ? std::optional(1 - *fast) : std::nullopt;
  }
  if (isElementwise(op))
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        if (std::optional<unsigned> fast = fastAxisOf(operand, axes, depth + 1))
          return fast;
  return std::nullopt;
}

warp::BufferType operandBuffer(RankedTensorType tile, unsigned fast) {
  llvm::SmallVector<unsigned, 4> order{fast, 1 - fast};
  unsigned bytes = std::max(1u, tile.getElementTypeBitWidth() / 8);
  unsigned swizzle = layout::widestSwizzle(tile.getShape(), bytes, order);
  return warp::BufferType::get(tile.getContext(), tile.getShape(), tile.getElementType(), 1, fast, swizzle);
}

unsigned bytesReadFor(Value tile, unsigned depth) {
  Operation *op = tile.getDefiningOp();
  if (!op || depth > 12)
    return 0;
  if (auto read = dyn_cast<warp::ReadOp>(op))
    return read.getBuffer().getType().elementBytes();
  unsigned bytes = 0;
  if (isElementwise(op) || isa<tile::TransOp>(op))
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        bytes = std::max(bytes, bytesReadFor(operand, depth + 1));
  return bytes;
}

} // namespace nereid::gpu
