// TranslateControl.cpp: loops, branches and calls.
#include "interp/Control.h"
#include "interp/Translator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace nereid::interp {

// Results of a loop live where its carried values do.
static void aliasAll(Translator &translator, ValueRange results, ArrayRef<Slot> slots) {
  for (auto [result, slot] : llvm::zip(results, slots))
    translator.alias(result, slot);
}

static SmallVector<Slot> defineAll(Translator &translator, ValueRange values) {
  SmallVector<Slot> slots;
  for (Value value : values)
    slots.push_back(translator.define(value));
  return slots;
}

static void releaseAll(Translator &translator, ValueRange values) {
  for (Value value : values)
    translator.releaseValue(value);
}

static void translateFor(Translator &translator, scf::ForOp op) {
  SmallVector<Slot> carried = defineAll(translator, op.getRegionIterArgs());
  translator.emitCopies(op, translator.slotsOf(op.getInitArgs()), carried);
  auto *payload = translator.payload<ForPayload>();
  Slot induction = translator.define(op.getInductionVar());
  if (induction.element != Element::I32 && induction.element != Element::I64)
    return translator.fail(op, "a loop counts with 32-bit or 64-bit integers");
  payload->induction = induction.offset;
  payload->isWide = induction.element == Element::I64;
  payload->isUnsigned = op.getUnsignedCmp();
  SmallVector<Slot> bounds = translator.slotsOf({op.getLowerBound(), op.getUpperBound(), op.getStep()});
  payload->body = translator.makeBlock([&] { translator.translateRegion(*op.getBody(), carried); });
  translator.emit(op, runFor, {}, bounds, Flow::Custom).payload = payload;
  aliasAll(translator, op.getResults(), carried);
  releaseAll(translator, op.getBody()->getArguments());
}

static void translateIf(Translator &translator, scf::IfOp op) {
  SmallVector<Slot> results = defineAll(translator, op.getResults());
  Slot condition = translator.slotOf(op.getCondition());
  auto *payload = translator.payload<IfPayload>();
  payload->then = translator.makeBlock([&] { translator.translateRegion(*op.thenBlock(), results); });
  if (op.elseBlock())
    payload->otherwise = translator.makeBlock([&] { translator.translateRegion(*op.elseBlock(), results); });
  translator.emit(op, runIf, {}, condition, Flow::Custom).payload = payload;
}

// Memory that another program can change is read in the loop in a way that sees the change.
static bool canSpin(Operation *loop) {
  WalkResult found = loop->walk([](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    bool waits = op->hasTrait<tile::Atomic>() || (load && load.getIsVolatile());
    return waits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

static void translateWhile(Translator &translator, scf::WhileOp op) {
  SmallVector<Slot> before = defineAll(translator, op.getBeforeArguments());
  SmallVector<Slot> after = defineAll(translator, op.getAfterArguments());
  translator.emitCopies(op, translator.slotsOf(op.getInits()), before);
  auto *payload = translator.payload<WhilePayload>();
  payload->canSpin = canSpin(op);
  payload->before = translator.makeBlock([&] {
    // The condition lives in storage of its own, for the loop reads it after the block.
    Slot condition = translator.constant(Element::I1, 1, {std::byte(0)});
    payload->condition = condition.offset;
    SmallVector<Slot> targets = {condition};
    targets.append(after);
    translator.translateRegion(*op.getBeforeBody(), targets);
  });
  payload->after = translator.makeBlock([&] { translator.translateRegion(*op.getAfterBody(), before); });
  Slot condition{payload->condition, 1, Element::I1};
  translator.emit(op, runWhile, {}, condition, Flow::Custom).payload = payload;
  aliasAll(translator, op.getResults(), after);
  releaseAll(translator, op.getBeforeArguments());
  releaseAll(translator, op.getAfterArguments());
}

static void translateCall(Translator &translator, func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee || callee.isDeclaration() || !callee.getBody().hasOneBlock())
    return translator.fail(op, "the function `" + op.getCallee().str() + "` has no body to run");
  translator.inlineCall(op, callee, callee.getBody().front());
}

static void translateYield(Translator &translator, scf::YieldOp op) { translator.emitYield(op); }
static void translateReturn(Translator &translator, func::ReturnOp op) { translator.emitYield(op); }
static void translateTileYield(Translator &translator, tile::YieldOp op) { translator.emitYield(op); }
static void translateCondition(Translator &translator, scf::ConditionOp op) { translator.emitYield(op); }

void addControlOps(OpTable &table) {
  addOp<scf::ForOp, translateFor>(table);
  addOp<scf::IfOp, translateIf>(table);
  addOp<scf::WhileOp, translateWhile>(table);
  addOp<scf::YieldOp, translateYield>(table);
  addOp<scf::ConditionOp, translateCondition>(table);
  addOp<func::CallOp, translateCall>(table);
  addOp<func::ReturnOp, translateReturn>(table);
  addOp<tile::YieldOp, translateTileYield>(table);
}

} // namespace nereid::interp
