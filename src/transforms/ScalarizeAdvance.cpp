// ScalarizeAdvance.cpp: a tile of pointers or integers that a loop only moves on, by the same amount in every element,
// is carried as that amount: one scalar instead of a tile kept in registers or memory through the whole loop. What is
// left of the tile does not change in the loop, so that its shape (contiguous, divisible) stays in sight of every back
// end.
//
//   before  scf.for … iter_args(%p = %start) {
//             tile.load %p
//             %q = tile.addptr %p, splat(%step)
//             scf.yield %q }
//   after   scf.for … iter_args(%offset = 0) {
//             %p = tile.addptr %start, splat(%offset)
//             tile.load %p
//             %next = arith.addi %offset, extsi(%step)
//             scf.yield %next }
//
// Offsets of pointers are i64, so that their sum wraps no earlier than the address would.
#include "transforms/Passes.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

// A tile on its way through a loop: from `init` (to `atTest`, which the test hands on as `forwarded`: a `while` only)
// to `inBody`, whose next value is `yielded`, and out as `result`.
struct Carried {
  OpOperand *init;
  BlockArgument atTest;
  OpOperand *forwarded;
  BlockArgument inBody;
  OpOperand *yielded;
  OpResult result;
};

// One op of the way from `inBody` to `yielded`: it takes the tile as `from` and adds (or subtracts) `amount`.
struct Step {
  Operation *op = nullptr;
  OpOperand *from = nullptr;
  OpFoldResult amount;
};

using Steps = SmallVector<Step, 2>;

// The scalar that all elements of `tile` are, or nothing.
OpFoldResult uniformElement(Value tile) {
  DenseElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)))
    return constant.isSplat() ? OpFoldResult(constant.getSplatValue<Attribute>()) : OpFoldResult();
  if (auto splat = tile.getDefiningOp<tile::SplatOp>())
    return splat.getSource();
  Operation *op = tile.getDefiningOp();
  return op && op->hasTrait<tile::View>() ? uniformElement(op->getOperand(0)) : OpFoldResult();
}

// `sum` as a tile and a uniform amount; the step has no amount when `sum` is something else.
Step stepTo(Value sum) {
  if (auto add = sum.getDefiningOp<tile::AddPtrOp>())
    return {add, &add.getPtrMutable(), uniformElement(add.getOffset())};
  if (auto subtract = sum.getDefiningOp<arith::SubIOp>())
    return {subtract, &subtract.getLhsMutable(), uniformElement(subtract.getRhs())};
  auto add = sum.getDefiningOp<arith::AddIOp>();
  if (!add)
    return {};
  if (OpFoldResult amount = uniformElement(add.getRhs()))
    return {add, &add.getLhsMutable(), amount};
  return {add, &add.getRhsMutable(), uniformElement(add.getLhs())};
}

// The ops that advance the tile, in their order; none when the loop does anything else with it.
Steps advanceOf(const Carried &carried) {
  Steps steps;
  for (Value tile = carried.yielded->get(); tile != carried.inBody; tile = steps.back().from->get()) {
    steps.push_back(stepTo(tile));
    if (!steps.back().amount)
      return {};
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

// i64 for pointers, the element type for integers, nothing for values that have no offset.
Type offsetType(Type type) {
  if (!isa<RankedTensorType>(type))
    return {};
  Type element = getElementTypeOrSelf(type);
  if (isa<tile::PtrType>(element))
    return IntegerType::get(type.getContext(), 64);
  return isa<IntegerType>(element) ? element : Type();
}

Value plusOffset(OpBuilder &builder, Location loc, Value init, Value offset) {
  auto type = cast<RankedTensorType>(init.getType());
  Value tile = tile::SplatOp::create(builder, loc, type.clone(offset.getType()), offset);
  if (isa<tile::PtrType>(type.getElementType()))
    return tile::AddPtrOp::create(builder, loc, init, tile);
  return arith::AddIOp::create(builder, loc, init, tile);
}

// Whoever sees `tile`, except for `excepted`, sees `init` plus `offset` instead.
void replaceTile(OpBuilder &builder, Location loc, Value tile, Value init, Value offset, OpOperand *excepted) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : tile.getUses())
    if (&use != excepted)
      uses.push_back(&use);
  if (uses.empty())
    return;
  Value sum = plusOffset(builder, loc, init, offset);
  for (OpOperand *use : uses)
    use->set(sum);
}

Value amountOf(OpBuilder &builder, const Step &step, Type type) {
  Location loc = step.op->getLoc();
  unsigned width = type.getIntOrFloatBitWidth();
  if (auto constant = dyn_cast<Attribute>(step.amount))
    return arith::ConstantOp::create(builder, loc,
                                     IntegerAttr::get(type, cast<IntegerAttr>(constant).getValue().sext(width)));
  auto amount = cast<Value>(step.amount);
  return amount.getType() == type ? amount : Value(arith::ExtSIOp::create(builder, loc, type, amount));
}

Value advanceOffset(OpBuilder &builder, const Step &step, Value offset) {
  Value amount = amountOf(builder, step, offset.getType());
  if (isa<arith::SubIOp>(step.op))
    return arith::SubIOp::create(builder, step.op->getLoc(), offset, amount);
  return arith::AddIOp::create(builder, step.op->getLoc(), offset, amount);
}

// Every place of `carried` becomes the offset in place: the loop, its attributes and its locations stay.
void carryOffset(const Carried &carried, const Steps &steps) {
  Operation *loop = carried.init->getOwner();
  Value init = carried.init->get();
  Type type = offsetType(init.getType());
  Location loc = steps.back().op->getLoc();

  OpBuilder builder(loop);
  carried.init->set(arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0)));
  auto becomeOffset = [&](Value value, OpOperand *excepted) {
    value.setType(type);
    builder.setInsertionPointAfterValue(value);
    replaceTile(builder, loc, value, init, value, excepted);
  };
  becomeOffset(carried.result, nullptr);
  if (carried.atTest)
    becomeOffset(carried.atTest, carried.forwarded);
  becomeOffset(carried.inBody, steps.front().from);

  Value offset = carried.inBody;
  for (size_t i = 0; i < steps.size(); ++i) {
    builder.setInsertionPoint(steps[i].op);
    offset = advanceOffset(builder, steps[i], offset);
    OpOperand *next = i + 1 < steps.size() ? steps[i + 1].from : carried.yielded;
    replaceTile(builder, steps[i].op->getLoc(), steps[i].op->getResult(0), init, offset, next);
  }
  carried.yielded->set(offset);
  for (const Step &step : llvm::reverse(steps))
    step.op->erase();
}

SmallVector<Carried> carriedThrough(scf::ForOp loop) {
  SmallVector<Carried> all;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    all.push_back({&loop.getInitArgsMutable()[i],
                   {},
                   nullptr,
                   loop.getRegionIterArg(i),
                   &(*loop.getYieldedValuesMutable())[i],
                   loop->getResult(i)});
  return all;
}

// The test may hand its values on in another order, or compute what it hands on.
SmallVector<Carried> carriedThrough(scf::WhileOp loop) {
  SmallVector<Carried> all;
  scf::ConditionOp condition = loop.getConditionOp();
  for (OpOperand &forwarded : condition.getArgsMutable()) {
    auto atTest = dyn_cast<BlockArgument>(forwarded.get());
    if (!atTest || atTest.getOwner() != loop.getBeforeBody() || llvm::count(condition.getArgs(), atTest) > 1)
      continue;
    unsigned from = atTest.getArgNumber(),
             to = forwarded.getOperandNumber() - condition.getArgsMutable().begin()->getOperandNumber();
    all.push_back({&loop.getInitsMutable()[from], atTest, &forwarded, loop.getAfterArguments()[to],
                   &loop.getYieldOp().getResultsMutable()[from], loop->getResult(to)});
  }
  return all;
}

void scalarizeAdvances(ArrayRef<Carried> all) {
  for (const Carried &carried : all) {
    if (!offsetType(carried.init->get().getType()))
      continue;
    if (Steps steps = advanceOf(carried); !steps.empty())
      carryOffset(carried, steps);
  }
}

struct ScalarizeAdvancePass : PassWrapper<ScalarizeAdvancePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScalarizeAdvancePass)
  StringRef getArgument() const final { return "tile-scalarize-advance"; }
  StringRef getDescription() const final { return "Carry a tile that a loop only moves on as a scalar offset"; }
  // Inner loops first: what they leave behind is again a tile and one amount, a step of the loop around them.
  void runOnOperation() final {
    getOperation()->walk([](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        scalarizeAdvances(carriedThrough(loop));
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        scalarizeAdvances(carriedThrough(loop));
    });
  }
};

} // namespace

std::unique_ptr<Pass> createScalarizeAdvancePass() { return std::make_unique<ScalarizeAdvancePass>(); }

} // namespace nereid::transforms
