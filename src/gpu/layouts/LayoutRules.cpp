#include "gpu/layouts/LayoutRules.h"

#include "dialect/Tile.h"
#include "gpu/dialect/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::gpu {

unsigned groupOf(Operation *op) {
  auto group = dyn_cast<tile::GroupOpInterface>(op);
  return group ? group.getPack() : 1;
}

bool isElementwise(Operation *op) {
  if (isa<arith::ConstantOp>(op) || groupOf(op) > 1)
    return false;
  bool isGroupOfOne = isa<tile::GroupOpInterface>(op) && op->getNumRegions() == 0;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->hasTrait<OpTrait::Elementwise>() ||
         isGroupOfOne;
}

bool isView(Operation *op) { return op->hasTrait<tile::View>() || isa<warp::ReadOp>(op); }

bool isFlexible(Operation *op) {
  bool isAnywhere = op->getNumOperands() == 0 || isElementwise(op); // a constant, a range
  return isView(op) || (isAnywhere && isMemoryEffectFree(op) && op->getNumResults() > 0);
}

Value passedOn(OpOperand &use) {
  Operation *user = use.getOwner(), *parent = user->getParentOp();
  unsigned index = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return loop.getTiedLoopRegionIterArg(&use);
  if (auto loop = dyn_cast<scf::WhileOp>(user))
    return loop.getBeforeArguments()[index];
  if (isa<scf::ConditionOp>(user))
    return index ? parent->getResult(index - 1) : Value();
  if (!isa<scf::YieldOp>(user))
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return loop.getRegionIterArg(index);
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return loop.getBeforeArguments()[index];
  return parent->getResult(index);
}

LinearLayout operandLayout(Operation *op, unsigned index, const LinearLayout &result) {
  auto rule = dyn_cast<tile::LayoutOpInterface>(op);
  return rule ? rule.operandLayout(index, result) : result;
}

std::optional<LinearLayout> resultLayout(Operation *op, const LinearLayout &source) {
  auto rule = dyn_cast<tile::LayoutOpInterface>(op);
  return rule ? rule.resultLayout(source) : source;
}

} // namespace nereid::gpu
