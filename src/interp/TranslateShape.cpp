// TranslateShape.cpp: shape changes as strided moves. A change that keeps the order of elements costs nothing.
#include "interp/Shape.h"
#include "interp/Translator.h"

#include <cstring>

using namespace mlir;

namespace nereid::interp {

static std::vector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

static std::vector<int64_t> vectorOf(ArrayRef<int64_t> list) { return {list.begin(), list.end()}; }

static void emitMove(Translator &translator, Operation *op, MovePayload *move, Slot result, Slot source) {
  simplifyMove(*move);
  translator.emit(op, moveHandler(byteSize(result.element)), result, source, Flow::Custom).payload = move;
}

static void translateArange(Translator &translator, tile::ArangeOp op) {
  uint32_t count = translator.countOf(op.getType());
  std::vector<std::byte> pattern(count * sizeof(int32_t));
  for (uint32_t i = 0; i < count; ++i) {
    int32_t value = int32_t(op.getStart()) + int32_t(i);
    std::memcpy(pattern.data() + i * sizeof(value), &value, sizeof(value));
  }
  translator.alias(op.getResult(), translator.constant(Element::I32, count, std::move(pattern)));
}

static void translateSplat(Translator &translator, tile::SplatOp op) {
  Slot source = translator.slotOf(op.getSource()), result = translator.define(op.getResult());
  translator.emit(op, splatHandler(byteSize(result.element)), result, source, Flow::Elementwise);
}

// The same elements in the same order.
static void translateSame(Translator &translator, Operation *op) {
  Slot slot = translator.slotOf(op->getOperand(0));
  translator.alias(op->getResult(0), slot);
}

static void translateBroadcast(Translator &translator, tile::BroadcastOp op) {
  ArrayRef<int64_t> from = tile::shapeOf(op.getSource().getType()), to = tile::shapeOf(op.getType());
  auto *move = translator.payload<MovePayload>();
  move->extents = vectorOf(to);
  move->from = stridesOf(from);
  move->to = stridesOf(to);
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == 1)
      move->from[d] = 0;
  Slot source = translator.slotOf(op.getSource());
  emitMove(translator, op, move, translator.define(op.getResult()), source);
}

static void translateTrans(Translator &translator, tile::TransOp op) {
  std::vector<int64_t> strides = stridesOf(tile::shapeOf(op.getSource().getType()));
  auto *move = translator.payload<MovePayload>();
  move->extents = vectorOf(tile::shapeOf(op.getType()));
  move->to = stridesOf(tile::shapeOf(op.getType()));
  for (int32_t dimension : op.getOrder())
    move->from.push_back(strides[dimension]);
  Slot source = translator.slotOf(op.getSource());
  emitMove(translator, op, move, translator.define(op.getResult()), source);
}

static void translateFlip(Translator &translator, tile::FlipOp op) {
  auto *move = translator.payload<MovePayload>();
  move->extents = vectorOf(tile::shapeOf(op.getType()));
  move->from = move->to = stridesOf(tile::shapeOf(op.getType()));
  unsigned axis = op.getAxis();
  move->fromOffset = (move->extents[axis] - 1) * move->from[axis];
  move->from[axis] = -move->from[axis];
  Slot source = translator.slotOf(op.getSource());
  emitMove(translator, op, move, translator.define(op.getResult()), source);
}

static void translateJoin(Translator &translator, tile::JoinOp op) {
  SmallVector<Slot> sources = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op.getResult());
  for (size_t i = 0; i < 2; ++i) {
    auto *move = translator.payload<MovePayload>();
    move->extents = {sources[i].count};
    move->from = {1};
    move->to = {2};
    move->toOffset = int64_t(i);
    emitMove(translator, op, move, result, sources[i]);
  }
}

static void translateSplit(Translator &translator, tile::SplitOp op) {
  Slot source = translator.slotOf(op.getSource());
  for (size_t i = 0; i < 2; ++i) {
    Slot result = translator.define(op->getResult(i));
    auto *move = translator.payload<MovePayload>();
    move->extents = {result.count};
    move->from = {2};
    move->to = {1};
    move->fromOffset = int64_t(i);
    emitMove(translator, op, move, result, source);
  }
}

static void translateCat(Translator &translator, tile::CatOp op) {
  std::vector<int64_t> strides = stridesOf(tile::shapeOf(op.getType()));
  SmallVector<Slot> sources = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op.getResult());
  int64_t begin = 0;
  for (size_t i = 0; i < 2; ++i) {
    ArrayRef<int64_t> shape = tile::shapeOf(op->getOperand(i).getType());
    auto *move = translator.payload<MovePayload>();
    move->extents = vectorOf(shape);
    move->from = stridesOf(shape);
    move->to = strides;
    move->toOffset = begin * strides[op.getAxis()];
    begin += shape[op.getAxis()];
    emitMove(translator, op, move, result, sources[i]);
  }
}

static void translateGather(Translator &translator, tile::GatherOp op) {
  auto *payload = translator.payload<GatherPayload>();
  payload->sourceShape = vectorOf(tile::shapeOf(op.getSource().getType()));
  payload->indexShape = vectorOf(tile::shapeOf(op.getIndex().getType()));
  payload->axis = op.getAxis();
  for (size_t d = 0; d < payload->indexShape.size(); ++d)
    if (d != payload->axis && payload->indexShape[d] > payload->sourceShape[d])
      return translator.fail(op, "the index of a gather is larger than its source");
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  payload->isWideIndex = operands[1].element == Element::I64;
  if (!payload->isWideIndex && operands[1].element != Element::I32)
    return translator.fail(op, "the index of a gather must be 32-bit or 64-bit integers");
  Slot result = translator.define(op.getResult());
  translator.emit(op, gatherHandler(byteSize(result.element)), result, operands, Flow::Gather).payload = payload;
}

void addShapeOps(OpTable &table) {
  for (StringRef name : {"tile.unsplat", "tile.expand_dims", "tile.reshape"})
    table[name] = translateSame;
  addOp<tile::ArangeOp, translateArange>(table);
  addOp<tile::SplatOp, translateSplat>(table);
  addOp<tile::BroadcastOp, translateBroadcast>(table);
  addOp<tile::TransOp, translateTrans>(table);
  addOp<tile::FlipOp, translateFlip>(table);
  addOp<tile::JoinOp, translateJoin>(table);
  addOp<tile::SplitOp, translateSplit>(table);
  addOp<tile::CatOp, translateCat>(table);
  addOp<tile::GatherOp, translateGather>(table);
}

} // namespace nereid::interp
