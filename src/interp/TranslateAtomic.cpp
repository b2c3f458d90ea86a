// TranslateAtomic.cpp: atomics.
#include "interp/Atomic.h"
#include "interp/Translator.h"

using namespace mlir;

namespace nereid::interp {

static bool acquires(tile::MemSem sem) { return sem == tile::MemSem::Acquire || sem == tile::MemSem::AcqRel; }
static bool releases(tile::MemSem sem) { return sem == tile::MemSem::Release || sem == tile::MemSem::AcqRel; }
static Rmw kindOf(tile::RmwKind kind) { return Rmw(uint8_t(kind)); }

// Whether a different order of programs could show in memory: not for integers whose old values nobody looks at.
static bool isOrderSensitive(Rmw kind, bool isUsed) { return isUsed || kind == Rmw::FAdd || kind == Rmw::Xchg; }

static void translateRmw(Translator &translator, tile::AtomicRmwOp op) {
  auto *payload = translator.payload<RmwPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op.getResult());
  payload->kind = kindOf(op.getKind());
  payload->element = result.element;
  payload->hasMask = bool(op.getMask());
  payload->acquires = acquires(op.getSem());
  payload->releases = releases(op.getSem());
  bool isFloatKind = payload->kind == Rmw::FAdd || payload->kind == Rmw::FMax || payload->kind == Rmw::FMin;
  if (isFloatKind && !isFloat(result.element))
    return translator.fail(op, "an atomic on floats needs a tile of floats");
  translator.program.isOrderSensitive |= isOrderSensitive(payload->kind, !op.getResult().use_empty());
  translator.emit(op, runAtomicRmw, result, operands, Flow::AtomicRmw).payload = payload;
}

static void translateCas(Translator &translator, tile::AtomicCasOp op) {
  auto *payload = translator.payload<CasPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op.getResult());
  payload->element = result.element;
  payload->acquires = acquires(op.getSem());
  payload->releases = releases(op.getSem());
  translator.program.isOrderSensitive = true;
  translator.emit(op, runAtomicCas, result, operands, Flow::AtomicCas).payload = payload;
}

static void translatePoll(Translator &translator, tile::AtomicPollOp op) {
  auto *payload = translator.payload<PollPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  payload->element = operands[1].element;
  payload->hasTimeout = bool(op.getTimeout());
  payload->acquires = acquires(op.getSem());
  payload->releases = releases(op.getSem());
  translator.program.isOrderSensitive = true;
  Slot result = translator.define(op.getResult());
  translator.emit(op, runAtomicPoll, result, operands, Flow::AtomicPoll).payload = payload;
}

static void translateDescReduce(Translator &translator, tile::DescReduceOp op) {
  auto *payload = translator.payload<DescriptorReducePayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  payload->blockShape.assign(op.getDesc().getType().getBlock().getShape().begin(),
                             op.getDesc().getType().getBlock().getShape().end());
  for (Value index : op.getIndices())
    payload->indices.push_back(translator.slotOf(index).offset);
  payload->value = operands.back();
  payload->kind = kindOf(op.getKind());
  // `add` on floats is the float addition, whichever way the op spells it.
  if (isFloat(payload->value.element))
    payload->kind = payload->kind == Rmw::Add   ? Rmw::FAdd
                    : payload->kind == Rmw::Max ? Rmw::FMax
                    : payload->kind == Rmw::Min ? Rmw::FMin
                                                : payload->kind;
  translator.program.isOrderSensitive |= isOrderSensitive(payload->kind, false);
  translator.emit(op, runDescriptorReduce, {}, operands, Flow::DescriptorReduce).payload = payload;
}

void addAtomicOps(OpTable &table) {
  addOp<tile::AtomicRmwOp, translateRmw>(table);
  addOp<tile::AtomicCasOp, translateCas>(table);
  addOp<tile::AtomicPollOp, translatePoll>(table);
  addOp<tile::DescReduceOp, translateDescReduce>(table);
}

} // namespace nereid::interp
