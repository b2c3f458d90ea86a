#include "gpu/pipeline/Slots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

Value slotNumber(OpBuilder &builder, Location loc, int32_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}

static Value isEqual(OpBuilder &builder, Location loc, Value slot, int32_t value) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, slotNumber(builder, loc, value));
}

unsigned stagesOf(scf::ForOp loop, const Options &options) {
  auto asked = loop->getAttrOfType<IntegerAttr>("tile.num_stages");
  int64_t count = asked ? asked.getInt() - int64_t(options.stagesCut) : options.numStages;
  return unsigned(std::clamp<int64_t>(count, 1, 16));
}

Value nextSlot(OpBuilder &builder, Location loc, Value slot, unsigned slots) {
  Value next = arith::AddIOp::create(builder, loc, slot, slotNumber(builder, loc, 1));
  return arith::SelectOp::create(builder, loc, isEqual(builder, loc, next, int32_t(slots)), slotNumber(builder, loc, 0),
                                 next);
}

Value previousSlot(OpBuilder &builder, Location loc, Value slot, unsigned slots) {
  Value before = arith::SubIOp::create(builder, loc, slot, slotNumber(builder, loc, 1));
  return arith::SelectOp::create(builder, loc, isEqual(builder, loc, slot, 0),
                                 slotNumber(builder, loc, int32_t(slots) - 1), before);
}

Value nextPhase(OpBuilder &builder, Location loc, Value slot, Value phase) {
  Value isStart = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isEqual(builder, loc, slot, 0));
  return arith::XOrIOp::create(builder, loc, phase, isStart);
}

} // namespace nereid::gpu
