#include "transforms/FoldedReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::transforms {

// What changes nothing when `op` combines it with anything; null for ops that have no such number, or whose order counts.
static Attribute identityOf(Operation &op, Type type) {
  if (auto number = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = number.getFloatSemantics();
    auto attribute = [&](const APFloat &value) -> Attribute { return FloatAttr::get(number, value); };
    return llvm::TypeSwitch<Operation *, Attribute>(&op)
        .Case<arith::AddFOp>([&](auto) { return attribute(APFloat::getZero(semantics, true)); })
        .Case<arith::MaximumFOp>([&](auto) { return attribute(APFloat::getInf(semantics, true)); })
        .Case<arith::MinimumFOp>([&](auto) { return attribute(APFloat::getInf(semantics, false)); })
        .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) { return attribute(APFloat::getNaN(semantics)); })
        .Default([](auto) { return Attribute(); });
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  auto attribute = [&](const APInt &value) -> Attribute { return IntegerAttr::get(type, value); };
  return llvm::TypeSwitch<Operation *, Attribute>(&op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return attribute(APInt::getZero(bits)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return attribute(APInt::getAllOnes(bits)); })
      .Case<arith::MaxSIOp>([&](auto) { return attribute(APInt::getSignedMinValue(bits)); })
      .Case<arith::MinSIOp>([&](auto) { return attribute(APInt::getSignedMaxValue(bits)); })
      .Default([](auto) { return Attribute(); });
}

// The one op that `block` combines its two arguments with, or null.
static Operation *combineOf(Block &block) {
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return nullptr;
  Operation &op = block.front();
  bool takesBoth = op.getNumOperands() == 2 && op.getNumResults() == 1 && op.getOperand(0) != op.getOperand(1) &&
                   llvm::is_contained(block.getArguments(), op.getOperand(0)) &&
                   llvm::is_contained(block.getArguments(), op.getOperand(1));
  return takesBoth && block.getTerminator()->getOperand(0) == op.getResult(0) ? &op : nullptr;
}

// `folded.loop` does nothing else with the value at `position` and with the reduction.
static bool findFold(Folded &folded) {
  BlockArgument carried = folded.loop.getRegionIterArg(folded.position);
  Operation *fold = folded.loop.getYieldedValues()[folded.position].getDefiningOp();
  if (!fold || fold->getBlock() != carried.getOwner() || fold->getNumOperands() != 2 || !fold->hasOneUse() ||
      !carried.hasOneUse() || !llvm::is_contained(fold->getOperands(), carried))
    return false;
  Value other = fold->getOperand(fold->getOperand(0) == carried ? 1 : 0);
  auto reduce = other.getDefiningOp<tile::ReduceOp>();
  if (!reduce || reduce->getBlock() != fold->getBlock() || reduce.getNumResults() != 1 || !other.hasOneUse())
    return false;
  Operation *combine = combineOf(reduce.getCombine().front());
  Type type = getElementTypeOrSelf(other.getType());
  if (!combine || combine->getName() != fold->getName() || !type.isIntOrFloat() || type.getIntOrFloatBitWidth() < 32)
    return false;
  folded.fold = fold;
  folded.reduce = reduce;
  folded.identity = identityOf(*combine, type);
  return bool(folded.identity);
}

llvm::SmallVector<Folded> foldedReductions(func::FuncOp kernel) {
  llvm::SmallVector<Folded> all;
  kernel.walk([&](scf::ForOp loop) {
    for (unsigned i = 0; i < loop.getNumResults(); ++i)
      if (Folded folded{loop, i, nullptr, {}, {}}; findFold(folded))
        all.push_back(folded);
  });
  return all;
}

Value reduceLike(OpBuilder &builder, tile::ReduceOp op, Value source, unsigned axis, Type result) {
  auto made = tile::ReduceOp::create(builder, op.getLoc(), TypeRange(result), ValueRange(source), axis);
  IRMapping mapping;
  op.getCombine().cloneInto(&made.getCombine(), mapping);
  return made.getResult(0);
}

void carryParts(const Folded &folded, Value part, OpBuilder &behind, llvm::function_ref<Value(Value)> finish) {
  auto [loop, position, fold, reduce, identity] = folded;
  auto type = cast<RankedTensorType>(part.getType());
  Value init = loop.getInitArgs()[position];
  reduce.getResult(0).replaceAllUsesWith(part);
  loop.getRegionIterArg(position).setType(type);
  fold->getResult(0).setType(type);

  OpBuilder builder(loop);
  loop.getInitArgsMutable()[position].set(
      arith::ConstantOp::create(builder, fold->getLoc(), DenseElementsAttr::get(type, identity)));
  OpResult parts = loop->getResult(position);
  llvm::SmallVector<OpOperand *> uses;
  for (OpOperand &use : parts.getUses())
    uses.push_back(&use);
  parts.setType(type);
  Value all = finish(parts);
  bool isFirst = fold->getOperand(0) == loop.getRegionIterArg(position);
  IRMapping mapping;
  mapping.map(fold->getOperand(isFirst ? 0 : 1), init);
  mapping.map(fold->getOperand(isFirst ? 1 : 0), all);
  Operation *last = behind.clone(*fold, mapping);
  last->getResult(0).setType(init.getType());
  for (OpOperand *use : uses)
    use->set(last->getResult(0));
  reduce.erase();
}

} // namespace nereid::transforms
