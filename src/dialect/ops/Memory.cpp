// Memory.cpp: verifiers, folds and memory effects of Memory.td.
#include "dialect/Tile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nereid::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addRead(Effects &effects, OpOperand &address) {
  effects.emplace_back(MemoryEffects::Read::get(), &address);
}
static void addWrite(Effects &effects, OpOperand &address) {
  effects.emplace_back(MemoryEffects::Write::get(), &address);
}

static Type pointeeType(Type ptrLike) {
  return withElement(ptrLike, cast<PtrType>(getElementTypeOrSelf(ptrLike)).getPointee());
}

static LogicalResult verifyMask(Operation *op, Type ptr, Value mask) {
  if (mask && shapeOf(mask.getType()) != shapeOf(ptr))
    return op->emitOpError("mask has another shape than the pointer");
  return success();
}

LogicalResult AddPtrOp::verify() {
  if (shapeOf(getPtr().getType()) != shapeOf(getOffset().getType()))
    return emitOpError("offset has another shape than the pointer");
  return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor) {
  return matchPattern(getOffset(), m_Zero()) ? OpFoldResult(getPtr()) : OpFoldResult();
}

LogicalResult LoadOp::verify() {
  Type loaded = pointeeType(getPtr().getType());
  if (getResult().getType() != loaded)
    return emitOpError("result type ") << getResult().getType() << " is not the pointee type " << loaded;
  if (getOther() && getOther().getType() != loaded)
    return emitOpError("`other` has type ") << getOther().getType() << " but the pointer loads " << loaded;
  if (getOther() && !getMask())
    return emitOpError("`other` without a mask");
  return verifyMask(*this, getPtr().getType(), getMask());
}

void LoadOp::getEffects(Effects &effects) {
  addRead(effects, getPtrMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get()); // stays where it is
}

LogicalResult StoreOp::verify() {
  if (getValue().getType() != pointeeType(getPtr().getType()))
    return emitOpError("value type ") << getValue().getType() << " is not the pointee type";
  return verifyMask(*this, getPtr().getType(), getMask());
}

void StoreOp::getEffects(Effects &effects) { addWrite(effects, getPtrMutable()); }

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

LogicalResult MakeDescOp::verify() {
  auto block = getResult().getType().getBlock();
  if (getShape().size() != static_cast<size_t>(block.getRank()) || getStrides().size() != getShape().size())
    return emitOpError("needs one extent and one stride for each of the ") << block.getRank() << " dimensions";
  return success();
}

// The block may be read and written under another shape of the same size (extent-1 dimensions dropped).
static LogicalResult verifyBlock(Operation *op, DescType desc, ValueRange indices, RankedTensorType value) {
  RankedTensorType block = desc.getBlock();
  if (static_cast<size_t>(block.getRank()) != indices.size())
    return op->emitOpError("needs ") << block.getRank() << " offsets, got " << indices.size();
  if (block.getNumElements() != value.getNumElements() || block.getElementType() != value.getElementType())
    return op->emitOpError("tile type ") << value << " does not fit the block " << block;
  return success();
}

LogicalResult DescLoadOp::verify() {
  return verifyBlock(*this, getDesc().getType(), getIndices(), getResult().getType());
}
LogicalResult DescStoreOp::verify() {
  return verifyBlock(*this, getDesc().getType(), getIndices(), getValue().getType());
}
LogicalResult DescReduceOp::verify() {
  return verifyBlock(*this, getDesc().getType(), getIndices(), getValue().getType());
}

// Each row of the tile is a row of the block.
static LogicalResult verifyRows(Operation *op, DescType desc, RankedTensorType rows, RankedTensorType tile) {
  RankedTensorType block = desc.getBlock();
  if (block.getRank() != 2)
    return op->emitOpError("needs a descriptor with two axes, got ") << block;
  if (rows.getRank() != 1 || !isa<IntegerType>(rows.getElementType()))
    return op->emitOpError("rows must be a 1-D tile of integers, got ") << rows;
  int64_t shape[] = {rows.getDimSize(0), block.getDimSize(1)};
  if (tile.getShape() != ArrayRef<int64_t>(shape) || tile.getElementType() != block.getElementType())
    return op->emitOpError("tile type ") << tile << " is not " << shape[0] << " rows of the block " << block;
  return success();
}

LogicalResult DescGatherOp::verify() {
  return verifyRows(*this, getDesc().getType(), getRows().getType(), getResult().getType());
}
LogicalResult DescScatterOp::verify() {
  return verifyRows(*this, getDesc().getType(), getRows().getType(), getValue().getType());
}

void DescLoadOp::getEffects(Effects &effects) { addRead(effects, getDescMutable()); }
void DescStoreOp::getEffects(Effects &effects) { addWrite(effects, getDescMutable()); }
void DescReduceOp::getEffects(Effects &effects) {
  addRead(effects, getDescMutable());
  addWrite(effects, getDescMutable());
}
void DescGatherOp::getEffects(Effects &effects) { addRead(effects, getDescMutable()); }
void DescScatterOp::getEffects(Effects &effects) { addWrite(effects, getDescMutable()); }
