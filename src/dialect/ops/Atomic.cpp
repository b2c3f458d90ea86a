// Atomic.cpp: verifiers and memory effects of Atomic.td.
#include "dialect/Tile.h"

using namespace mlir;
using namespace nereid::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addReadWrite(Effects &effects, OpOperand &address) {
  effects.emplace_back(MemoryEffects::Read::get(), &address);
  effects.emplace_back(MemoryEffects::Write::get(), &address);
}

LogicalResult AtomicRmwOp::verify() {
  if (getValue().getType() != getResult().getType())
    return emitOpError("value and result have different types");
  if (shapeOf(getPtr().getType()) != shapeOf(getValue().getType()))
    return emitOpError("value has another shape than the pointer");
  return success();
}

void AtomicRmwOp::getEffects(Effects &effects) { addReadWrite(effects, getPtrMutable()); }
void AtomicCasOp::getEffects(Effects &effects) { addReadWrite(effects, getPtrMutable()); }
// While it waits anything may be written.
void AtomicPollOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
