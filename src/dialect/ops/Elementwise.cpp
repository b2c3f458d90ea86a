// Elementwise.cpp: verifiers and memory effects of Elementwise.td.
#include "dialect/Tile.h"

using namespace mlir;
using namespace nereid::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static LogicalResult verifyAxis(Operation *op, uint32_t axis) {
  return axis <= 2 ? success() : op->emitOpError("axis must be 0, 1 or 2, got ") << axis;
}

LogicalResult ProgramIdOp::verify() { return verifyAxis(*this, getAxis()); }
LogicalResult NumProgramsOp::verify() { return verifyAxis(*this, getAxis()); }

// A call that is not pure may do anything.
static void addEffects(bool isPure, Effects &effects) {
  if (isPure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ExternOp::getEffects(Effects &effects) { addEffects(getIsPure(), effects); }
void InlineAsmOp::getEffects(Effects &effects) { addEffects(getIsPure(), effects); }
