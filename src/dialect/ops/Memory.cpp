// Memory.cpp: verifiers, folds, memory effects and pieces of Memory.td.
#include "dialect/Tile.h"
#include "dialect/ops/Pieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
static LogicalResult verifyBlock(BlockWriteOpInterface op) {
  return verifyBlock(op, cast<DescType>(op.getDesc().getType()), op.getIndices(), op.getValue().getType());
}
LogicalResult DescStoreOp::verify() { return verifyBlock(*this); }
LogicalResult DescReduceOp::verify() { return verifyBlock(*this); }

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

// Pieces of uneven blocks: a descriptor for each shape of a piece, and accesses that begin where the piece does.
namespace nereid::tile {

// The same tensor with blocks of another shape; beside the descriptor that it comes from, so that equal ones are one. Null where
// that is chosen at run time.
static Value describe(Pieces &pieces, Value desc, ArrayRef<int64_t> shape) {
  auto whole = cast<DescType>(desc.getType());
  auto type = DescType::get(desc.getContext(), cast<RankedTensorType>(withShape(whole.getBlock(), shape)));
  Value &known = pieces.described[{desc, type}];
  auto make = desc.getDefiningOp<MakeDescOp>();
  auto argument = dyn_cast<BlockArgument>(desc);
  auto kernel = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (known || (!make && !kernel))
    return known;
  ImplicitLocOpBuilder &builder = pieces.builder;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(desc);
  if (make)
    return known =
               MakeDescOp::create(builder, type, make.getBase(), make.getShape(), make.getStrides(), make.getPadding());
  // The extents and the strides of a host's descriptor follow it as arguments.
  unsigned rank = unsigned(shape.size()), number = argument.getArgNumber();
  Value base = PtrCastOp::create(builder, PtrType::get(whole.getBlock().getElementType()), desc);
  ValueRange numbers = kernel.getArguments().slice(number + 1, 2 * rank);
  bool isNan = bool(kernel.getArgAttr(number, "tile.nan_padding"));
  return known = MakeDescOp::create(builder, type, base, numbers.take_front(rank), numbers.drop_front(rank),
                                    isNan ? Padding::NaN : Padding::Zero);
}

static bool refuseChosen(Pieces &pieces) {
  return pieces.refuse("a descriptor that is chosen at run time is not supported here");
}

static Value moved(Pieces &pieces, Value index, int64_t by) {
  if (by == 0)
    return index;
  Value offset = arith::ConstantIntOp::create(pieces.builder, index.getType(), by);
  return arith::AddIOp::create(pieces.builder, index, offset);
}

// A block that is read (`type` is the result's) or written (`value`): behind the descriptor are its indices, and the value.
static bool splitBlock(Pieces &pieces, Operation *op, OperandRange indices, Type type, Value value) {
  Value desc = op->getOperand(0);
  ArrayRef<int64_t> shape = cast<DescType>(desc.getType()).getBlock().getShape();
  SmallVector<size_t> order; // of the pieces of the block, for each of the tile, which may lack axes of one element
  if (!matchPieces(shape, shapeOf(type), order))
    return pieces.refuse("this block is read in a shape that mixes the parts of an extent that is no power of two");
  Cut cut(shape), tile(shapeOf(type));
  SmallVector<Value> its;
  for (auto [piece, from] : llvm::enumerate(order)) {
    Cut::Place place = cut.placeOf(from);
    SmallVector<Value> operands{describe(pieces, desc, cut.shapeAt(place))};
    if (!operands[0])
      return refuseChosen(pieces);
    for (auto [index, spans, i] : llvm::zip_equal(indices, cut.axes, place))
      operands.push_back(moved(pieces, index, spans[i].start));
    if (value)
      operands.push_back(pieces.at(value, tile.placeOf(piece)));
    Operation *made = pieces.builder.clone(*op);
    made->setOperands(operands);
    if (!value) {
      its.push_back(made->getResult(0));
      its.back().setType(withShape(type, tile.shapeAt(tile.placeOf(piece))));
    }
  }
  if (!value)
    pieces.give(op->getResult(0), its);
  return true;
}

static bool split(Pieces &pieces, DescLoadOp op) { return splitBlock(pieces, op, op.getIndices(), op.getType(), {}); }
static bool split(Pieces &pieces, BlockWriteOpInterface op) {
  return splitBlock(pieces, op, op.getIndices(), op.getValue().getType(), op.getValue());
}

// Rows that are chosen one by one, in pieces of rows and of columns: descriptor, rows, column, and the value where one is written.
static bool splitRows(Pieces &pieces, Operation *op, Type type, Value value) {
  Value desc = op->getOperand(0);
  auto block = cast<DescType>(desc.getType()).getBlock();
  Cut cut(shapeOf(type));
  SmallVector<Value> its;
  for (size_t piece = 0; piece < cut.count(); ++piece) {
    Cut::Place place = cut.placeOf(piece);
    Span columns = cut.axes[1][place[1]];
    SmallVector<Value> operands{describe(pieces, desc, {block.getDimSize(0), columns.extent}),
                                pieces.at(op->getOperand(1), place[0]),
                                moved(pieces, op->getOperand(2), columns.start)};
    if (!operands[0])
      return refuseChosen(pieces);
    if (value)
      operands.push_back(pieces.at(value, place));
    Operation *made = pieces.builder.clone(*op);
    made->setOperands(operands);
    if (!value) {
      its.push_back(made->getResult(0));
      its.back().setType(withShape(type, cut.shapeAt(place)));
    }
  }
  if (!value)
    pieces.give(op->getResult(0), its);
  return true;
}

static bool split(Pieces &pieces, DescGatherOp op) { return splitRows(pieces, op, op.getType(), {}); }
static bool split(Pieces &pieces, DescScatterOp op) {
  return splitRows(pieces, op, op.getValue().getType(), op.getValue());
}

void addMemoryPieces(PieceRules &rules) {
  rules.add<DescLoadOp, DescStoreOp, DescReduceOp, DescGatherOp, DescScatterOp>();
}

} // namespace nereid::tile
