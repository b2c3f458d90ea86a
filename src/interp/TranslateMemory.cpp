// TranslateMemory.cpp: pointers, loads, stores and descriptors.
#include "interp/Elementwise.h"
#include "interp/Memory.h"
#include "interp/Translator.h"

using namespace mlir;

namespace nereid::interp {

static void translateAddPtr(Translator &translator, tile::AddPtrOp op) {
  auto pointee = cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr().getType())).getPointee();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  auto *size = translator.payload<NumberPayload>();
  size->value = int64_t(byteSize(translator.elementOf(pointee, op)));
  Slot result = translator.define(op.getResult());
  translator.emit(op, addPtrHandler(operands[1].element), result, operands, Flow::AddPointer).payload = size;
}

static void translateLoad(Translator &translator, tile::LoadOp op) {
  auto *payload = translator.payload<LoadPayload>();
  payload->hasMask = bool(op.getMask());
  payload->hasOther = bool(op.getOther());
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op.getResult());
  translator.emit(op, loadHandler(result.element), result, operands, Flow::Load).payload = payload;
}

static void translateStore(Translator &translator, tile::StoreOp op) {
  auto *payload = translator.payload<StorePayload>();
  payload->hasMask = bool(op.getMask());
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  translator.emit(op, storeHandler(operands[1].element), {}, operands, Flow::Store).payload = payload;
}

static void translateMakeDesc(Translator &translator, tile::MakeDescOp op) {
  if (op.getShape().size() > kMaxRank)
    return translator.fail(op, "a descriptor has at most " + std::to_string(kMaxRank) + " dimensions");
  auto *payload = translator.payload<MakeDescriptorPayload>();
  payload->padNaN = op.getPadding() == tile::Padding::NaN;
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  translator.emit(op, runMakeDescriptor, translator.define(op.getResult()), operands, Flow::MakeDescriptor).payload =
      payload;
}

static void fillBlock(Translator &translator, BlockPayload &payload, tile::DescType desc, ValueRange indices,
                      Slot value) {
  payload.blockShape.assign(desc.getBlock().getShape().begin(), desc.getBlock().getShape().end());
  for (Value index : indices)
    payload.indices.push_back(translator.slotOf(index).offset);
  payload.value = value;
}

// The rows come from a tile; the block has one row, the result as many as there are rows.
static void fillRows(Translator &translator, BlockPayload &payload, Value rows, Value column, RankedTensorType value,
                     Slot slot) {
  payload.blockShape.assign(value.getShape().begin(), value.getShape().end());
  payload.indices = {0, translator.slotOf(column).offset};
  payload.rows = translator.slotOf(rows).offset;
  payload.hasRows = true;
  payload.value = slot;
}

static void translateDescLoad(Translator &translator, tile::DescLoadOp op) {
  auto *payload = translator.payload<BlockPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op.getResult());
  fillBlock(translator, *payload, op.getDesc().getType(), op.getIndices(), result);
  translator.emit(op, runDescriptorLoad, result, operands, Flow::DescriptorLoad).payload = payload;
}

static void translateDescStore(Translator &translator, tile::DescStoreOp op) {
  auto *payload = translator.payload<BlockPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  fillBlock(translator, *payload, op.getDesc().getType(), op.getIndices(), operands.back());
  translator.emit(op, runDescriptorStore, {}, operands, Flow::DescriptorStore).payload = payload;
}

static bool checkRows(Translator &translator, Operation *op, Value rows, RankedTensorType value) {
  if (value.getRank() == 2 && translator.slotOf(rows).element == Element::I32)
    return true;
  translator.fail(op, "gather and scatter work on rows of 2-D tensors, given by 32-bit numbers");
  return false;
}

static void translateDescGather(Translator &translator, tile::DescGatherOp op) {
  if (!checkRows(translator, op, op.getRows(), op.getResult().getType()))
    return;
  auto *payload = translator.payload<BlockPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  Slot result = translator.define(op.getResult());
  fillRows(translator, *payload, op.getRows(), op.getColumn(), op.getResult().getType(), result);
  translator.emit(op, runDescriptorLoad, result, operands, Flow::DescriptorLoad).payload = payload;
}

static void translateDescScatter(Translator &translator, tile::DescScatterOp op) {
  if (!checkRows(translator, op, op.getRows(), op.getValue().getType()))
    return;
  auto *payload = translator.payload<BlockPayload>();
  SmallVector<Slot> operands = translator.slotsOf(op->getOperands());
  fillRows(translator, *payload, op.getRows(), op.getColumn(), op.getValue().getType(), operands.back());
  translator.emit(op, runDescriptorStore, {}, operands, Flow::DescriptorStore).payload = payload;
}

void addMemoryOps(OpTable &table) {
  addOp<tile::AddPtrOp, translateAddPtr>(table);
  addOp<tile::LoadOp, translateLoad>(table);
  addOp<tile::StoreOp, translateStore>(table);
  addOp<tile::MakeDescOp, translateMakeDesc>(table);
  addOp<tile::DescLoadOp, translateDescLoad>(table);
  addOp<tile::DescStoreOp, translateDescStore>(table);
  addOp<tile::DescGatherOp, translateDescGather>(table);
  addOp<tile::DescScatterOp, translateDescScatter>(table);
}

} // namespace nereid::interp
