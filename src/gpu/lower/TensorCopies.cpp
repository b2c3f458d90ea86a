// TensorCopies.cpp: blocks of tensors by TMA, and the barriers in shared memory that count its bytes.
// One thread asks for a copy; whoever reads a slot waits for the end of its barrier's phase.
#include "gpu/lower/TensorCopies.h"

#include "gpu/memory/TensorMaps.h"
#include "gpu/products/DotPlan.h"

using namespace mlir;

namespace nereid::gpu {

llvm::Value *Lowering::inOneThread(Value when) {
  // The producer is one thread.
  llvm::Value *isFirst = isProducer ? builder.getTrue() : builder.CreateICmpEQ(thread, builder.getInt32(0));
  return when ? builder.CreateAnd(isFirst, get(when)) : isFirst;
}

// Who reads and writes shared memory past the threads' own way to it: wgmma, and TMA.
bool Lowering::findAsyncProxy() {
  return kernel
      .walk([](Operation *op) {
        bool isFound = isa<warp::TensorMapOp>(op) || warp::instructionOf(op) == warp::Instruction::Wgmma;
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void Lowering::fenceForAsyncProxy() {
  if (hasAsyncProxy)
    instructions.fenceForAsyncProxy();
}

// ---- Maps: parameters of 128 bytes behind the words.

void Lowering::addTensorMaps(llvm::SmallVectorImpl<llvm::Type *> &types) {
  firstMap = types.size();
  kernel.walk([&](warp::TensorMapOp op) {
    artifact.parameters.push_back({cuda::Parameter::Kind::TensorMap, uint32_t(tensorMaps.size()), 128});
    artifact.tensorMaps.push_back(tensorMapOf(op));
    tensorMaps.push_back(op);
    types.push_back(builder.getPtrTy());
  });
}

void Lowering::bindTensorMaps() {
  auto *bytes = llvm::ArrayType::get(builder.getInt8Ty(), 128);
  for (auto [i, op] : llvm::enumerate(tensorMaps)) {
    llvm::Argument *argument = function->getArg(firstMap + unsigned(i));
    argument->addAttr(llvm::Attribute::getWithByValType(context, bytes));
    argument->addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(64)));
    Instructions::markMap(*argument);
    set(op.getResult(), argument);
  }
}

// ---- Barriers.

static llvm::Value *barrierAt(Lowering &lowering, Value barriers, Value slot) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *start = builder.CreatePtrToInt(lowering.get(barriers), builder.getInt32Ty());
  return builder.CreateAdd(start, builder.CreateMul(lowering.get(slot), builder.getInt32(8)));
}

// Whether other barriers are made next: all of them are shown at once.
static bool isBeforeOthers(warp::MakeBarriersOp op) {
  Operation *next = op->getNextNode();
  while (next && isa<warp::AllocOp>(next))
    next = next->getNextNode();
  return next && isa<warp::MakeBarriersOp>(next);
}

template <> void Lowering::lower(warp::MakeBarriersOp op) {
  unsigned slots = op.getResult().getType().getSlots();
  llvm::Value *memory = buffers.begin(builder, 8 * slots, 16);
  set(op.getResult(), memory);
  llvm::Value *start = builder.CreatePtrToInt(memory, builder.getInt32Ty());
  for (unsigned slot = 0; slot < slots; ++slot) {
    llvm::Value *address = builder.CreateAdd(start, builder.getInt32(8 * slot));
    instructions.makeBarrier(address, op.getArrivals(), inOneThread());
  }
  if (isBeforeOthers(op))
    return;
  instructions.showBarriers();
  fenceForAsyncProxy();
  barrier();
}

template <> void Lowering::lower(warp::ExpectOp op) {
  llvm::Value *counted = barrierAt(*this, op.getBarriers(), op.getSlot());
  instructions.expectBytes(counted, op.getBytes(), inOneThread(op.getWhen()));
}

template <> void Lowering::lower(warp::WaitPhaseOp op) {
  instructions.waitForPhase(barrierAt(*this, op.getBarriers(), op.getSlot()), get(op.getPhase()));
}

template <> void Lowering::lower(warp::ArriveOp op) {
  llvm::Value *isFirst = builder.CreateICmpEQ(lane, builder.getInt32(0));
  if (op.getWhen())
    isFirst = builder.CreateAnd(isFirst, get(op.getWhen()));
  instructions.arrive(barrierAt(*this, op.getBarriers(), op.getSlot()), isFirst);
}

template <> void Lowering::lower(warp::ArriveCopiesOp op) {
  instructions.arriveAfterCopies(barrierAt(*this, op.getBarriers(), op.getSlot()));
}

// ---- Copies: box by box, as a buffer lies in memory.

llvm::SmallVector<Box> boxesOf(warp::BufferType type, unsigned groups) {
  int64_t rows = type.getShape()[0], columns = type.getShape()[1], height = boxRows(type, groups);
  int64_t width = type.getSwizzle() / type.elementBytes();
  llvm::SmallVector<Box> boxes;
  for (int64_t column = 0; column < columns; column += width)
    for (int64_t row = 0; row < rows; row += height)
      boxes.push_back({uint32_t((column / width * rows + row) * type.getSwizzle()), row, column});
  return boxes;
}

// A row as a place along each axis, the fastest first.
static Values placesOf(llvm::IRBuilder<> &builder, llvm::Value *row, size_t axes,
                       std::optional<ArrayRef<int64_t>> block) {
  Values places(axes, builder.getInt32(0));
  if (!block) {
    places[0] = row;
    return places;
  }
  for (size_t i = 0; i < axes; ++i) {
    auto extent = uint32_t((*block)[axes - 1 - i]);
    places[i] = i + 1 == axes ? row : builder.CreateAnd(row, builder.getInt32(extent - 1));
    row = builder.CreateLShr(row, llvm::Log2_32(extent));
  }
  return places;
}

Values boxPlace(Lowering &lowering, Value map, ValueRange indices, const Box &box, llvm::Value *row) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *first = builder.getInt32(uint32_t(box.row));
  if (row)
    first = builder.CreateAdd(first, row);
  Values places = placesOf(builder, first, indices.size() - 1, map.getDefiningOp<warp::TensorMapOp>().getBlock());
  Values place;
  for (unsigned i = 0; i < indices.size(); ++i) {
    llvm::Value *index = lowering.get(indices[indices.size() - 1 - i]);
    place.push_back(builder.CreateAdd(index, i == 0 ? builder.getInt32(uint32_t(box.column)) : places[i - 1]));
  }
  return place;
}

template <> void Lowering::lower(warp::CopyBlockOp op) {
  llvm::Value *start = addressIn(op.getBuffer(), op.getSlot(), builder.getInt32(0));
  llvm::Value *counted = barrierAt(*this, op.getBarriers(), op.getSlot());
  for (const Box &box : boxesOf(op.getBuffer().getType())) {
    llvm::Value *to = builder.CreateAdd(start, builder.getInt32(box.offset));
    Values place = boxPlace(*this, op.getMap(), op.getIndices(), box, nullptr);
    instructions.copyBox(to, get(op.getMap()), place, counted, inOneThread(op.getWhen()));
  }
}

void addTensorCopyOps(OpTable &table) {
  table.add<warp::MakeBarriersOp, warp::ExpectOp, warp::WaitPhaseOp, warp::ArriveOp, warp::ArriveCopiesOp,
            warp::CopyBlockOp>();
}

} // namespace nereid::gpu
