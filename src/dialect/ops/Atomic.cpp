// Atomic.cpp: verifiers and memory effects of Atomic.td.
#include "dialect/Tile.h"

using namespace mlir;
using namespace nereid::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addReadWrite(Effects &effects, OpOperand &address) {
  effects.emplace_back(MemoryEffects::Read::get(), &address);
  effects.emplace_back(MemoryEffects::Write::get(), &address);
}

// What is compared with memory or combined with it is what the pointer points to, in its shape.
static LogicalResult verifyValue(Operation *op, Value ptr, Value value) {
  if (shapeOf(ptr.getType()) != shapeOf(value.getType()))
    return op->emitOpError("value has another shape than the pointer");
  Type pointee = cast<PtrType>(getElementTypeOrSelf(ptr.getType())).getPointee();
  if (getElementTypeOrSelf(value.getType()) != pointee)
    return op->emitOpError("value has elements of type ")
           << getElementTypeOrSelf(value.getType()) << " but the pointer is to " << pointee;
  return success();
}

LogicalResult AtomicRmwOp::verify() {
  if (getValue().getType() != getResult().getType())
    return emitOpError("value and result have different types");
  if (getMask() && shapeOf(getMask().getType()) != shapeOf(getPtr().getType()))
    return emitOpError("mask has another shape than the pointer");
  return verifyValue(*this, getPtr(), getValue());
}

LogicalResult AtomicCasOp::verify() { return verifyValue(*this, getPtr(), getValue()); }

LogicalResult AtomicPollOp::verify() {
  if (isa<RankedTensorType>(getPtr().getType()) || !isa<IntegerType>(getExpected().getType()))
    return emitOpError("waits at one place for one integer");
  return verifyValue(*this, getPtr(), getExpected());
}

void AtomicRmwOp::getEffects(Effects &effects) { addReadWrite(effects, getPtrMutable()); }
void AtomicCasOp::getEffects(Effects &effects) { addReadWrite(effects, getPtrMutable()); }
// While it waits anything may be written.
void AtomicPollOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
