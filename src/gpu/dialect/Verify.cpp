// Verify.cpp: what every op of the dialect asks of its operands, and where attributes of the dialect may stand. What can be
// told of one op alone; VerifyFlight.cpp looks at whole kernels.
#include "gpu/dialect/Warp.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nereid;
using namespace nereid::warp;

// ---- Types.

LogicalResult BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 Type element, unsigned slots, unsigned fast, unsigned swizzle) {
  if (shape.empty() || !llvm::all_of(shape, [](int64_t extent) { return extent > 0 && llvm::isPowerOf2_64(extent); }))
    return emitError() << "the extents of a buffer are powers of two";
  if (!element.isIntOrFloat())
    return emitError() << "a buffer holds numbers, not " << element;
  if (fast >= shape.size())
    return emitError() << "rows along axis " << fast << " of a buffer with " << shape.size() << " axes";
  if (swizzle != 16 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "a swizzle has 16, 32, 64 or 128 bytes, not " << swizzle;
  int64_t bytes = shape[fast] * std::max(1u, element.getIntOrFloatBitWidth() / 8);
  if (bytes % swizzle != 0)
    return emitError() << "rows of " << bytes << " bytes cannot be cut into boxes of " << swizzle;
  return success();
}

LogicalResult BarriersType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, unsigned slots) {
  constexpr unsigned kMost = 64; // no loop has so many stages
  return slots <= kMost ? success()
                        : LogicalResult(emitError() << "there are " << slots << " barriers, and 64 at most");
}

// ---- Parts of verifiers.

// The producer is one thread: what all threads do together is not for it.
static LogicalResult verifyForAllThreads(Operation *op) {
  for (Operation *child = op, *parent = op->getParentOp(); parent; child = parent, parent = parent->getParentOp())
    if (auto parts = dyn_cast<SpecializeOp>(parent); parts && child->getParentRegion() == &parts.getProducer())
      return op->emitOpError("is for all threads, and the producer is one");
  return success();
}

static LogicalResult verifySlot(Operation *op, Value slot, unsigned slots) {
  APInt number;
  if (matchPattern(slot, m_ConstantInt(&number)) && number.getSExtValue() >= 0 && number.getSExtValue() < slots)
    return success();
  if (!matchPattern(slot, m_Constant()))
    return success();
  return op->emitOpError("names slot ") << number.getSExtValue() << " of " << slots;
}

// Buffers and barriers do not go through loops and branches: who looks at one sees where it is made.
template <typename Maker> static LogicalResult verifyMade(Operation *op, Value value) {
  return value.getDefiningOp<Maker>()
             ? success()
             : LogicalResult(op->emitOpError("takes what `") << Maker::getOperationName() << "` makes, by itself");
}

static LogicalResult verifyBuffer(Operation *op, Value buffer, Value slot) {
  if (failed(verifyMade<AllocOp>(op, buffer)))
    return failure();
  return slot ? verifySlot(op, slot, cast<BufferType>(buffer.getType()).getSlots()) : success();
}

static LogicalResult verifyBarriers(Operation *op, Value barriers, Value slot) {
  if (failed(verifyMade<MakeBarriersOp>(op, barriers)))
    return failure();
  return verifySlot(op, slot, cast<BarriersType>(barriers.getType()).getSlots());
}

// Whether a tile of this type is what a slot holds.
static LogicalResult verifyTile(Operation *op, RankedTensorType tile, BufferType buffer) {
  if (tile.getShape() != buffer.getShape())
    return op->emitOpError("has a tile of another shape than the buffer's");
  if (tile.getElementType() != buffer.getElement())
    return op->emitOpError("has a tile of ") << tile.getElementType() << " and a buffer of " << buffer.getElement();
  return success();
}

// The map's boxes are parts of the buffer, as it lies in memory.
static LogicalResult verifyMap(Operation *op, Value value, ValueRange indices, BufferType buffer, unsigned groups) {
  auto map = value.getDefiningOp<TensorMapOp>();
  if (!map)
    return op->emitOpError("takes what `warp.tensor_map` makes, by itself");
  if (indices.size() != map.getBox().size())
    return op->emitOpError("has ") << indices.size() << " indices, and the tensor " << map.getBox().size() << " axes";
  if (buffer.getShape().size() != 2 || buffer.getFast() != 1)
    return op->emitOpError("takes a buffer of two axes, with rows along the last one");
  auto pointer = dyn_cast<tile::PtrType>(map.getBase().getType());
  if (indices.size() < 2 || !pointer || !pointer.getPointee().isIntOrFloat())
    return success(); // the map's own verifier says so
  if (pointer.getPointee().getIntOrFloatBitWidth() != buffer.getElement().getIntOrFloatBitWidth())
    return op->emitOpError("has a tensor and a buffer of different types");
  int64_t boxRows = 1, rows = std::min<int64_t>(buffer.getShape()[0] / groups, 256);
  for (int64_t extent : map.getBox().drop_back())
    boxRows *= extent;
  if (map.getSwizzle() != buffer.getSwizzle() || boxRows != rows)
    return op->emitOpError("has boxes of ")
           << boxRows << " rows with a swizzle of " << map.getSwizzle() << " bytes, and the buffer wants " << rows
           << " and " << buffer.getSwizzle();
  return success();
}

// ---- Ops.

LogicalResult ConvertLayoutOp::verify() {
  auto source = getSource().getType(), result = getResult().getType();
  if (source.getShape() != result.getShape() || source.getElementType() != result.getElementType())
    return emitOpError("changes the tile, not its layout alone");
  if (!hasLayout(source) || !hasLayout(result))
    return emitOpError("is between tiles with layouts");
  auto from = cast<LayoutAttr>(source.getEncoding()), to = cast<LayoutAttr>(result.getEncoding());
  if (from.getLaneBits() != to.getLaneBits() || from.getWarpBits() != to.getWarpBits())
    return emitOpError("is between layouts of different numbers of threads");
  return verifyForAllThreads(*this);
}

LogicalResult BarrierOp::verify() { return verifyForAllThreads(*this); }

LogicalResult AllocOp::verify() {
  if (getResult().getType().getSlots() == 0)
    return emitOpError("makes a buffer without slots");
  auto isRelease = [](Operation *user) { return isa<ReleaseOp>(user); };
  if (llvm::count_if(getResult().getUsers(), isRelease) > 1)
    return emitOpError("is released twice");
  return verifyForAllThreads(*this);
}

LogicalResult ReleaseOp::verify() {
  Operation *made = getBuffer().getDefiningOp();
  if (!isa_and_nonnull<AllocOp, MakeBarriersOp>(made))
    return emitOpError("takes what `warp.alloc` or `warp.make_barriers` makes, by itself");
  if (made->getBlock() != (*this)->getBlock())
    return emitOpError("stands in another block than what it releases is made in");
  return verifyForAllThreads(*this);
}

LogicalResult CopyAsyncOp::verify() {
  BufferType buffer = getBuffer().getType();
  auto pointers = getPtr().getType();
  auto pointer = dyn_cast<tile::PtrType>(pointers.getElementType());
  if (!pointer)
    return emitOpError("copies from pointers, not from ") << pointers.getElementType();
  if (pointers.getShape() != buffer.getShape())
    return emitOpError("has pointers of another shape than the buffer's");
  if (!pointer.getPointee().isIntOrFloat() ||
      std::max(8u, pointer.getPointee().getIntOrFloatBitWidth()) != 8 * buffer.elementBytes())
    return emitOpError("copies ") << pointer.getPointee() << " into a buffer of " << buffer.getElement();
  if (Value mask = getMask()) {
    auto type = cast<RankedTensorType>(mask.getType());
    if (type.getShape() != buffer.getShape() || !type.getElementType().isInteger(1))
      return emitOpError("has a mask that is no tile of i1 in the buffer's shape");
    if (type.getEncoding() != pointers.getEncoding())
      return emitOpError("has a mask in another layout than its pointers");
  }
  if (failed(verifyForAllThreads(*this)))
    return failure();
  return verifyBuffer(*this, getBuffer(), getSlot());
}

LogicalResult CommitOp::verify() { return verifyForAllThreads(*this); }

LogicalResult WaitOp::verify() {
  if (int32_t(getPending()) < 0)
    return emitOpError("leaves a negative number of groups");
  return verifyForAllThreads(*this);
}

LogicalResult StoreOp::verify() {
  if (failed(verifyTile(*this, getTile().getType(), getBuffer().getType())) || failed(verifyForAllThreads(*this)))
    return failure();
  return verifyBuffer(*this, getBuffer(), getSlot());
}

LogicalResult ReadOp::verify() {
  if (failed(verifyTile(*this, getResult().getType(), getBuffer().getType())) || failed(verifyForAllThreads(*this)))
    return failure();
  return verifyBuffer(*this, getBuffer(), getSlot());
}

LogicalResult AwaitOp::verify() {
  if (getTiles().getTypes() != getResults().getTypes())
    return emitOpError("gives other tiles than it takes");
  if (int32_t(getPending()) < 0)
    return emitOpError("leaves a negative number of products");
  return verifyForAllThreads(*this);
}

LogicalResult TensorMapOp::verify() {
  auto pointer = dyn_cast<tile::PtrType>(getBase().getType());
  if (!pointer || !pointer.getPointee().isIntOrFloat())
    return emitOpError("takes a pointer to numbers, not ") << getBase().getType();
  size_t rank = getBox().size();
  if (getShape().size() != rank || getStrides().size() != rank)
    return emitOpError("has ") << getShape().size() << " extents, " << getStrides().size() << " strides and a box of "
                               << rank << " axes";
  if (rank < 2 || rank > 5)
    return emitOpError("is of a tensor of 2 to 5 axes, not ") << rank;
  if (!llvm::all_of(getBox(), [](int64_t extent) { return extent >= 1 && extent <= 256; }))
    return emitOpError("has a box with an extent that is not 1 to 256");
  if (!getBlock() && !llvm::all_of(getBox().drop_back(2), [](int64_t extent) { return extent == 1; }))
    return emitOpError("has a box of more than a matrix");
  if (getBlock() && getBlock()->size() + 1 != rank)
    return emitOpError("has rows of ") << getBlock()->size() << " axes, and the box " << rank << " axes";
  int64_t bytes = getBox().back() * std::max(1u, pointer.getPointee().getIntOrFloatBitWidth() / 8);
  if (bytes != getSwizzle() || bytes < 16 || bytes > 128 || !llvm::isPowerOf2_64(bytes))
    return emitOpError("has rows of ") << bytes << " bytes and a swizzle of " << getSwizzle()
                                       << ": both are 16, 32, 64 or 128";
  return success();
}

LogicalResult MakeBarriersOp::verify() {
  if (getResult().getType().getSlots() == 0)
    return emitOpError("makes no barriers");
  if (int32_t(getArrivals()) < 1 || getArrivals() >= 1u << 20)
    return emitOpError("counts 1 to 1048575 arrivals, not ") << int32_t(getArrivals());
  return verifyForAllThreads(*this);
}

LogicalResult ExpectOp::verify() {
  if (int32_t(getBytes()) < 1 || getBytes() >= 1u << 20)
    return emitOpError("announces 1 to 1048575 bytes, not ") << int32_t(getBytes());
  return verifyBarriers(*this, getBarriers(), getSlot());
}

LogicalResult CopyBlockOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (buffer.getSlots() > getBarriers().getType().getSlots())
    return emitOpError("has a buffer of ")
           << buffer.getSlots() << " slots and " << getBarriers().getType().getSlots() << " barriers";
  if (failed(verifyMap(*this, getMap(), getIndices(), buffer, 1)) ||
      failed(verifyBarriers(*this, getBarriers(), getSlot())))
    return failure();
  return verifyBuffer(*this, getBuffer(), getSlot());
}

// All threads of the producer copy, and none of the others.
static LogicalResult verifyForProducer(Operation *op) {
  auto parts = op->getParentOfType<SpecializeOp>();
  return parts && parts.getProducer().isAncestor(op->getParentRegion())
             ? success()
             : LogicalResult(op->emitOpError("stands outside of a producer"));
}

LogicalResult CopyRowsOp::verify() {
  BufferType buffer = getBuffer().getType();
  auto pointer = dyn_cast<tile::PtrType>(getPointer().getType());
  if (!pointer || !pointer.getPointee().isIntOrFloat() ||
      std::max(8u, pointer.getPointee().getIntOrFloatBitWidth()) != 8 * buffer.elementBytes())
    return emitOpError("copies from ") << getPointer().getType() << " into a buffer of " << buffer.getElement();
  if (buffer.getShape().size() != 2)
    return emitOpError("takes a buffer of two axes");
  if (failed(verifyForProducer(*this)))
    return failure();
  return verifyBuffer(*this, getBuffer(), getSlot());
}

LogicalResult ArriveCopiesOp::verify() {
  if (failed(verifyForProducer(*this)))
    return failure();
  return verifyBarriers(*this, getBarriers(), getSlot());
}

LogicalResult WaitPhaseOp::verify() {
  APInt phase;
  if (matchPattern(getPhase(), m_ConstantInt(&phase)) && !phase.isZero() && !phase.isOne())
    return emitOpError("waits for a parity of 0 or 1, not ") << phase.getSExtValue();
  return verifyBarriers(*this, getBarriers(), getSlot());
}

LogicalResult ArriveOp::verify() {
  if (failed(verifyForAllThreads(*this)))
    return failure();
  return verifyBarriers(*this, getBarriers(), getSlot());
}

LogicalResult StoreBlockOp::verify() {
  BufferType buffer = getBuffer().getType();
  auto tile = getTile().getType();
  if (tile.getRank() != 2 || buffer.getShape().size() != 2 || tile.getDimSize(0) != buffer.getShape()[0] ||
      tile.getDimSize(1) % buffer.getShape()[1] != 0)
    return emitOpError("has a tile that the buffer does not take in parts of its columns");
  if (tile.getElementType() != buffer.getElement())
    return emitOpError("has a tile of ") << tile.getElementType() << " and a buffer of " << buffer.getElement();
  if (int32_t(getGroups()) < 1 || buffer.getShape()[0] % getGroups() != 0)
    return emitOpError("shares ") << buffer.getShape()[0] << " rows out to " << int32_t(getGroups()) << " groups";
  if (failed(verifyMap(*this, getMap(), getIndices(), buffer, getGroups())) || failed(verifyForAllThreads(*this)))
    return failure();
  return verifyBuffer(*this, getBuffer(), {});
}

LogicalResult SpecializeOp::verify() {
  for (Region *part : {&getProducer(), &getConsumer()})
    if (part->empty() || part->front().empty() || !isa<DoneOp>(part->front().back()))
      return emitOpError("has a part that does not end with `warp.done`");
  if ((*this)->getParentOfType<SpecializeOp>())
    return emitOpError("stands inside of a part of another one");
  // Tiles belong to all threads.
  WalkResult found = getProducer().walk([&](Operation *op) {
    auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
    bool hasTile = llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile);
    if (hasTile)
      op->emitOpError("has a tile, and stands in the producer, whose threads hold none");
    return hasTile ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(found.wasInterrupted());
}

LogicalResult WaitStoresOp::verify() { return verifyForAllThreads(*this); }

// ---- Attributes on ops of other dialects.

LogicalResult WarpDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  auto verifyFlag = [&](bool isHome, const char *home) -> LogicalResult {
    if (!isHome)
      return op->emitError("`") << name << "` stands on " << home << ", not on `" << op->getName() << "`";
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitError("`") << name << "` has no value";
    return success();
  };
  if (name == kBlockAttribute)
    return verifyFlag(isa<tile::DescLoadOp, tile::BlockWriteOpInterface>(op), "loads and stores of blocks");
  if (name == kLagAttribute || name == kDrainAttribute)
    return verifyFlag(isa<scf::ForOp>(op), "loops");
  if (name == kFreeAttribute)
    return verifyFlag(isa<tile::DotOp>(op), "products");
  if (name == kAsyncAttribute) {
    if (std::optional<Instruction> instruction = instructionOf(op); instruction && *instruction != Instruction::Wgmma)
      return op->emitError("a product by `") << stringifyInstruction(*instruction) << "` does not go on by itself";
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && dot.getPlaces())
      return op->emitError("a product of a sparse operand does not go on by itself: its places are in registers");
    return verifyFlag(isa<tile::DotOp>(op), "products");
  }
  if (name == kInstructionAttribute) {
    if (!isa<tile::DotOp>(op))
      return op->emitError("`") << name << "` stands on products, not on `" << op->getName() << "`";
    return isa<InstructionAttr>(attribute.getValue())
               ? success()
               : LogicalResult(op->emitError("`") << name << "` is an instruction");
  }
  return op->emitError("the warp dialect has no attribute `") << name << "`";
}
