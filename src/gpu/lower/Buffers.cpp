// Buffers.cpp: buffers of tiles in shared memory: asynchronous copies into them, stores and reads.
#include "gpu/lower/Access.h"
#include "gpu/lower/FallingMask.h"
#include "gpu/lower/SharedTile.h"
#include "gpu/pipeline/SpecializeWarps.h"
#include "gpu/pipeline/TileRows.h"
#include "gpu/products/Operands.h"
#include "layout/LayoutShapes.h"

#include <map>

using namespace mlir;

namespace nereid::gpu {

template <> void Lowering::lower(warp::AllocOp op) {
  warp::BufferType type = op.getResult().getType();
  set(op.getResult(), buffers.begin(builder, type.slotBytes() * type.getSlots(), 1024));
}

template <> void Lowering::lower(warp::ReleaseOp op) {
  // All threads have waited for the last phase by now; producers and consumers may still be at it.
  if (auto type = dyn_cast<warp::BarriersType>(op.getBuffer().getType()); type && !isSpecialized)
    for (unsigned slot = 0; slot < type.getSlots(); ++slot) {
      llvm::Value *start = builder.CreatePtrToInt(get(op.getBuffer()), builder.getInt32Ty());
      llvm::Value *address = builder.CreateAdd(start, builder.getInt32(8 * slot));
      instructions.endBarrier(address, inOneThread());
    }
  buffers.end(builder, get(op.getBuffer()));
}

static llvm::Value *slotBytes(Lowering &lowering, Value buffer) {
  return lowering.builder.getInt32(uint32_t(cast<warp::BufferType>(buffer.getType()).slotBytes()));
}

llvm::Value *Lowering::slotOf(Value buffer, Value slot) {
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), get(buffer),
                                   builder.CreateMul(get(slot), slotBytes(*this, buffer)));
}

llvm::Value *Lowering::addressIn(Value buffer, Value slot, llvm::Value *place) {
  llvm::Type *word = builder.getInt32Ty();
  if (!formsAddresses()) // LLVM will
    return builder.CreateAdd(builder.CreatePtrToInt(slotOf(buffer, slot), word), place);
  llvm::Value *start = builder.CreateAdd(builder.CreatePtrToInt(get(buffer), word), place);
  return builder.CreateAdd(start, builder.CreateMul(get(slot), slotBytes(*this, buffer)));
}

// How many elements go at once.
unsigned copyWidth(const analysis::AxisInfoAnalysis &axes, warp::CopyAsyncOp op) {
  warp::BufferType type = op.getBuffer().getType();
  unsigned bytes = type.elementBytes(), fast = type.getFast();
  const analysis::AxisInfo &info = axes.of(op.getPtr());
  int64_t width = std::min<int64_t>({int64_t(warp::layoutOf(op.getPtr().getType()).contiguousRegisters(fast)),
                                     info.contiguity[fast], std::max<int64_t>(1, info.divisibility[fast] / bytes),
                                     int64_t(16 / bytes)});
  return unsigned(op.getMask() ? std::min(width, axes.of(op.getMask()).fallingRun(fast)) : width);
}

namespace {
struct AsyncCopy {
  llvm::Value *to, *from, *filled = nullptr; // with a mask: how many bytes
};
} // namespace

static llvm::SmallVector<AsyncCopy> copiesOf(Lowering &lowering, warp::CopyAsyncOp op, unsigned width) {
  llvm::IRBuilder<> &builder = lowering.builder;
  warp::BufferType type = op.getBuffer().getType();
  LinearLayout layout = warp::layoutOf(op.getPtr().getType());
  LinearLayout places = layout.then(type.memory().inverse()); // registers, lanes and warps to offsets
  unsigned bytes = type.elementBytes();
  Values pointers = lowering.unpack(lowering.get(op.getPtr())), masks;
  if (op.getMask())
    masks = lowering.unpack(lowering.get(op.getMask()));
  bool isWhole = masks.empty() || lowering.axes.of(op.getMask()).constancy[type.getFast()] >= width;
  llvm::Value *thread = lowering.threadPoint(places);
  // The bits of a place that no thread sets are a constant, which the instruction adds.
  uint64_t threadBits = Lowering::threadImage(places);
  std::map<uint64_t, llvm::Value *> addresses;
  llvm::SmallVector<AsyncCopy> copies;
  for (unsigned r = 0; r < layout.registers(); r += width) {
    uint64_t point = Lowering::registerPoint(places, r);
    llvm::Value *&address = addresses[point & threadBits];
    if (!address) {
      llvm::Value *place = builder.CreateXor(thread, builder.getInt32(uint32_t(point & threadBits)));
      address = lowering.addressIn(op.getBuffer(), op.getSlot(), builder.CreateMul(place, builder.getInt32(bytes)));
    }
    copies.push_back(
        {builder.CreateAdd(address, builder.getInt32(uint32_t((point & ~threadBits) * bytes))), pointers[r]});
    if (!masks.empty())
      copies.back().filled =
          isWhole ? builder.CreateSelect(masks[r], builder.getInt32(uint32_t(width * bytes)), builder.getInt32(0))
                  : builder.CreateMul(countOfFirst(lowering, lowering.get(op.getMask()), r, width),
                                      builder.getInt32(bytes));
  }
  return copies;
}

template <> void Lowering::lower(warp::CopyAsyncOp op) {
  unsigned width = copyWidth(axes, op), bytes = width * op.getBuffer().getType().elementBytes();
  if (bytes < 4)
    return fail(op, "internal: a copy of less than 4 bytes");
  llvm::SmallVector<AsyncCopy> copies = copiesOf(*this, op, width);
  auto emit = [&](llvm::Value *condition) {
    for (const AsyncCopy &copy : copies)
      instructions.copyAsync(copy.to, copy.from, bytes, copy.filled, condition);
  };
  llvm::Value *owner = isOwner(warp::layoutOf(op.getPtr().getType())),
              *when = op.getWhen() ? get(op.getWhen()) : nullptr;
  // Ahead of the loop one branch is cheaper; in it, branches would keep products from overlapping.
  if (when && matchPattern(op.getSlot(), m_Constant()))
    emitIf(when, [&] { emit(owner); });
  else
    emit(when && owner ? builder.CreateAnd(when, owner) : when ? when : owner);
}

// Pieces are whole ones also where there are fewer than threads: some have none of their own then.
LinearLayout layoutOfRows(warp::BufferType buffer) {
  unsigned fast = buffer.getFast(), width = kBytesOfRowPiece / buffer.elementBytes();
  llvm::SmallVector<int64_t, 2> pieces(buffer.getShape());
  pieces[fast] /= width;
  return LinearLayout(layout::Space{{layout::Dim::Register, 0}}, layout::Space::tile({1, 1}))
      .product(LinearLayout::identity(layout::Dim::Register, layout::axisDim(fast), llvm::Log2_32(width)))
      .product(layout::blockedLayout(pieces, 1, kProducerWarps, {fast, 1 - fast}));
}

// A thread has a piece of 16 bytes in each of several rows: one address in shared and one in global memory, to which constants
// are added where the stride is one.
template <> void Lowering::lower(warp::CopyRowsOp op) {
  constexpr unsigned kPiece = kBytesOfRowPiece;
  warp::BufferType type = op.getBuffer().getType();
  unsigned bytes = type.elementBytes(), fast = type.getFast(), width = kPiece / bytes;
  LinearLayout layout = layoutOfRows(type);
  LinearLayout places = layout.then(type.memory().inverse());
  auto axis = [&](unsigned which) { return layout.restrictOut({layout::axisDim(which)}); };
  llvm::Type *wide = builder.getInt64Ty();
  llvm::Value *place = threadPoint(places);
  llvm::Value *row = builder.CreateZExt(threadPoint(axis(1 - fast)), wide),
              *column = builder.CreateZExt(threadPoint(axis(fast)), wide);
  llvm::Value *stride = builder.CreateMul(get(op.getStride()), builder.getInt64(bytes));
  auto offset = [&](llvm::Value *from, llvm::Value *by) { return builder.CreateGEP(builder.getInt8Ty(), from, by); };
  llvm::Value *first =
      offset(get(op.getPointer()),
             builder.CreateAdd(builder.CreateMul(row, stride), builder.CreateMul(column, builder.getInt64(bytes))));
  // How many bytes there are from a column on, at most a piece.
  auto bytesFrom = [&](llvm::Value *from) -> llvm::Value * {
    llvm::Value *left = builder.CreateMul(builder.CreateSub(get(op.getLength()), from), builder.getInt64(bytes));
    left = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, left, builder.getInt64(0));
    return builder.CreateTrunc(builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, builder.getInt64(kPiece)),
                               builder.getInt32Ty());
  };
  uint64_t threadBits = threadImage(places);
  llvm::Value *owner = isOwner(layout);
  for (unsigned r = 0; r < layout.registers(); r += width) {
    uint64_t point = registerPoint(places, r), down = registerPoint(axis(1 - fast), r),
             right = registerPoint(axis(fast), r);
    llvm::Value *at = builder.CreateXor(place, builder.getInt32(uint32_t(point & threadBits)));
    llvm::Value *to =
        builder.CreateAdd(addressIn(op.getBuffer(), op.getSlot(), builder.CreateMul(at, builder.getInt32(bytes))),
                          builder.getInt32(uint32_t((point & ~threadBits) * bytes)));
    llvm::Value *from = offset(
        first, builder.CreateAdd(builder.CreateMul(stride, builder.getInt64(down)), builder.getInt64(right * bytes)));
    llvm::Value *filled = nullptr;
    if (op.getLength())
      filled = bytesFrom(builder.CreateAdd(column, builder.getInt64(right)));
    if (op.getCount()) {
      llvm::Value *isThere = builder.CreateICmpSLT(builder.CreateAdd(row, builder.getInt64(down)), get(op.getCount()));
      filled = builder.CreateSelect(isThere, filled ? filled : builder.getInt32(kPiece), builder.getInt32(0));
    }
    instructions.copyAsync(to, from, kPiece, filled, owner);
  }
}

template <> void Lowering::lower(warp::CommitOp) { instructions.commitCopies(); }

template <> void Lowering::lower(warp::WaitOp op) {
  instructions.waitForCopies(op.getPending());
  // wgmma sees what was copied and waited for, as CUTLASS and Triton have it too; TMA may overwrite what threads read before.
  if (!tensorMaps.empty())
    fenceForAsyncProxy();
  barrier();
}

template <> void Lowering::lower(warp::StoreOp op) {
  warp::BufferType type = op.getBuffer().getType();
  LinearLayout layout = warp::layoutOf(op.getTile().getType());
  layout::SharedAccess access =
      layout::planAccess(type.memory(), layout, type.elementBytes(), true, options.target.hasStmatrix);
  Values registers = unpack(toMemoryBits(*this, get(op.getTile())));
  writeShared(*this, access, 0, access.offsets.size(), slotOf(op.getBuffer(), op.getSlot()), registers);
  fenceForAsyncProxy();
  barrier();
}

template <> void Lowering::lower(warp::ReadOp op) {
  if (isOnlyForTensorCores(op))
    return set(op.getResult(), llvm::PoisonValue::get(typeOf(op.getResult().getType())));
  warp::BufferType type = op.getBuffer().getType();
  LinearLayout layout = warp::layoutOf(op.getResult().getType());
  layout::SharedAccess access = layout::planAccess(type.memory(), layout, type.elementBytes(), false, true);
  Values registers(layout.registers());
  llvm::Type *element = builder.getIntNTy(type.elementBytes() * 8);
  readShared(*this, access, 0, access.offsets.size(), slotOf(op.getBuffer(), op.getSlot()), element, registers);
  set(op.getResult(), fromMemoryBits(*this, pack(registers), typeOf(op.getResult().getType())));
}

template <> void Lowering::lower(warp::BarrierOp op) {
  if (op.getFenced())
    fenceForAsyncProxy();
  barrier();
}

void addBufferOps(OpTable &table) {
  table.add<warp::AllocOp, warp::ReleaseOp, warp::CopyAsyncOp, warp::CopyRowsOp, warp::CommitOp, warp::WaitOp,
            warp::StoreOp, warp::ReadOp, warp::BarrierOp>();
}

} // namespace nereid::gpu
