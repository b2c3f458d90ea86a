#include "gpu/layouts/Meetings.h"

#include "dialect/Tile.h"
#include "gpu/layouts/LayoutRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::gpu {

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

Meetings::Meetings(func::FuncOp kernel) {
  bool changed = true;
  while (changed) {
    changed = false;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= follow(op); });
  }
  kernel.walk([&](Operation *op) {
    groups.insert(op);
    numbers.try_emplace(groups.getLeaderValue(op), numbers.size());
  });
  kernel.walk([&](tile::DotOp dot) { withProducts.insert(of(dot)); });
}

// Operands of a product are taken in layouts of its own.
static bool isOperandOfProduct(OpOperand &use) {
  return isa<tile::DotOp>(use.getOwner()) && use.getOperandNumber() < 2;
}

unsigned Meetings::of(Operation *op) const { return numbers.lookup(groups.getLeaderValue(op)); }

bool Meetings::pass(Value from, Value to) {
  if (!isTile(to) || !moved.contains(from))
    return false;
  join(from.getAsOpaquePointer(), to.getAsOpaquePointer());
  return moved.insert(to).second;
}

bool Meetings::follow(Operation *op) {
  bool changed = false;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      changed |= pass(argument, result);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getAfterArguments()))
      changed |= pass(result, argument);
  bool isControl = isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp>(op);
  bool isMeeting = !isControl && !isFlexible(op);
  for (OpOperand &use : op->getOpOperands()) {
    if (!moved.contains(use.get()) || isOperandOfProduct(use))
      continue;
    if (Value next = passedOn(use))
      changed |= pass(use.get(), next);
    else
      join(use.get().getAsOpaquePointer(), op);
    isMeeting |= !isControl;
  }
  for (Value result : op->getResults())
    if (isMeeting && isTile(result)) {
      join(op, result.getAsOpaquePointer());
      changed |= moved.insert(result).second;
    }
  return changed;
}

} // namespace nereid::gpu
