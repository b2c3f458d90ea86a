// TranslateDot.cpp: matrix products.
#include "interp/Dot.h"
#include "interp/Translator.h"

using namespace mlir;

namespace nereid::interp {

static DotPrecision precisionOf(tile::InputPrecision precision) {
  switch (precision) {
  case tile::InputPrecision::TF32: return DotPrecision::TF32;
  case tile::InputPrecision::TF32x3: return DotPrecision::TF32x3;
  case tile::InputPrecision::IEEE: return DotPrecision::IEEE;
  case tile::InputPrecision::BF16x3: return DotPrecision::BF16x3;
  case tile::InputPrecision::BF16x6: return DotPrecision::BF16x6;
  }
  return DotPrecision::IEEE;
}

static void translateDot(Translator &translator, tile::DotOp op) {
  auto *payload = translator.payload<DotPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  payload->lhs = operands[0];
  payload->rhs = operands[1];
  payload->acc = operands[2];
  payload->result = translator.define(op.getResult());
  ArrayRef<int64_t> lhs = tile::shapeOf(op.getLhs().getType()), result = tile::shapeOf(op.getType());
  payload->m = uint32_t(result[result.size() - 2]);
  payload->n = uint32_t(result.back());
  payload->hasPlaces = bool(op.getPlaces());
  if (payload->hasPlaces)
    payload->places = operands[3];
  payload->k = uint32_t(lhs.back()) * (payload->hasPlaces ? 2 : 1);
  payload->batch = result.size() == 3 ? uint32_t(result[0]) : 1;
  payload->precision = precisionOf(op.getPrecision());
  payload->lhsUnsigned = op.getLhsUnsigned();
  payload->rhsUnsigned = op.getRhsUnsigned();
  bool isInteger = payload->acc.element == Element::I32;
  bool isDouble = payload->acc.element == Element::F64;
  auto fits = [&](const Slot &slot) {
    if (isInteger)
      return slot.element == Element::I8 || slot.element == Element::I16 || slot.element == Element::I32;
    return isFloat(slot.element) && (slot.element == Element::F64) == isDouble;
  };
  if (!fits(payload->lhs) || !fits(payload->rhs) || (!isInteger && !isFloat(payload->acc.element)))
    return translator.fail(op, "these element types cannot be multiplied and summed");
  translator.emit(op, runDot, payload->result, operands, Flow::Dot).payload = payload;
}

static bool fillScaled(Translator &translator, Operation *op, ScaledOperand &operand, Value tile, Value scale,
                       tile::ScaleFormat format, bool packedAlongK) {
  operand.tile = translator.slotOf(tile);
  operand.isPackedAlongK = packedAlongK;
  if ((operand.hasScale = bool(scale)))
    operand.scale = translator.slotOf(scale);
  switch (format) {
  case tile::ScaleFormat::E4M3: operand.format = ScaledFormat::E4M3; return true;
  case tile::ScaleFormat::E5M2: operand.format = ScaledFormat::E5M2; return true;
  case tile::ScaleFormat::E2M1: operand.format = ScaledFormat::E2M1; return true;
  case tile::ScaleFormat::BF16:
  case tile::ScaleFormat::FP16: operand.format = ScaledFormat::Wide; return true;
  default: translator.fail(op, "the 6-bit formats e2m3 and e3m2 are not supported"); return false;
  }
}

static void translateDotScaled(Translator &translator, tile::DotScaledOp op) {
  auto *payload = translator.payload<DotScaledPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  if (!fillScaled(translator, op, payload->lhs, op.getLhs(), op.getLhsScale(), op.getLhsFormat(), op.getLhsKPack()) ||
      !fillScaled(translator, op, payload->rhs, op.getRhs(), op.getRhsScale(), op.getRhsFormat(), op.getRhsKPack()))
    return;
  payload->acc = translator.slotOf(op.getAcc());
  payload->result = translator.define(op.getResult());
  ArrayRef<int64_t> lhs = tile::shapeOf(op.getLhs().getType()), result = tile::shapeOf(op.getType());
  payload->m = uint32_t(result[result.size() - 2]);
  payload->n = uint32_t(result.back());
  payload->batch = result.size() == 3 ? uint32_t(result[0]) : 1;
  bool isPacked = payload->lhs.format == ScaledFormat::E2M1;
  payload->k = uint32_t(lhs.back()) * (isPacked && payload->lhs.isPackedAlongK ? 2 : 1);
  auto elements = [](const ScaledOperand &operand) {
    return size_t(operand.tile.count) * (operand.format == ScaledFormat::E2M1 ? 2 : 1);
  };
  auto scaleFits = [&](const ScaledOperand &operand, size_t outer) {
    size_t rows = payload->batch * outer, groups = operand.scale.count / rows;
    return !operand.hasScale || (operand.scale.count % rows == 0 && groups && payload->k % groups == 0 &&
                                 byteSize(operand.scale.element) == 1);
  };
  if (elements(payload->lhs) != size_t(payload->batch) * payload->m * payload->k ||
      elements(payload->rhs) != size_t(payload->batch) * payload->k * payload->n ||
      !scaleFits(payload->lhs, payload->m) || !scaleFits(payload->rhs, payload->n) || !isFloat(payload->acc.element))
    return translator.fail(op, "the shapes of the operands and scales do not fit");
  translator.emit(op, runDotScaled, payload->result, operands, Flow::Mix).payload = payload;
}

void addDotOps(OpTable &table) {
  addOp<tile::DotOp, translateDot>(table);
  addOp<tile::DotScaledOp, translateDotScaled>(table);
}

} // namespace nereid::interp
