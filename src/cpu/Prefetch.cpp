// Prefetch.cpp: fetch early what the next program will load. A kernel that loads a tile, computes on it and stores it
// leaves memory idle while it computes. The next program (or the next turn of a loop) most often reads as far from this
// one as this one read from the one before: the nests that compute fetch from there. A wrong guess costs only the
// fetch.
#include "cpu/Nest.h"
#include "cpu/TileForm.h"

using namespace mlir;

namespace nereid::cpu {

constexpr int64_t kLine = 64;
// Smaller tiles are there before they are missed.
constexpr int64_t kSmallestTile = 2048;

void Lowering::noteLoads(const Group &now) {
  streams.clear();
  for (Operation *member : now.members) {
    auto load = dyn_cast<tile::LoadOp>(member);
    if (!load || cast<RankedTensorType>(load.getType()).getNumElements() * elementBytes(load.getType()) < kSmallestTile)
      continue;
    Conditions ignored;
    auto form = TileForms(*this, ignored).evaluate(load.getPtr());
    if (!form)
      continue;
    // Kept in memory, for LLVM to find its way: the load may stand where not every path to the nest passes.
    llvm::AllocaInst *last = stackSlot(builder.getInt64Ty(), "last"),
                     *distance = stackSlot(builder.getInt64Ty(), "distance");
    {
      llvm::IRBuilderBase::InsertPointGuard guard(builder);
      builder.SetInsertPoint(last->getNextNode());
      builder.CreateStore(builder.getInt64(0), last);
      builder.CreateStore(builder.getInt64(0), distance);
    }
    builder.CreateStore(builder.CreateSub(form->base, builder.CreateLoad(builder.getInt64Ty(), last)), distance);
    builder.CreateStore(form->base, last);
    streams.push_back({load.getPtr(), distance, now.shape});
  }
}

void Lowering::emitPrefetches(const Group &now, Nest &nest) {
  for (const Stream &stream : streams) {
    if (stream.shape != now.shape)
      continue;
    Conditions ignored;
    Form form = nest.evaluate(stream.pointer, nest.identity(), false, ignored);
    auto *stride = form.isAffine() ? llvm::dyn_cast<llvm::ConstantInt>(form.stride) : nullptr;
    if (!stride || stride->getSExtValue() <= 0 || stride->getSExtValue() > 8)
      continue;
    llvm::Value *next = builder.CreateAdd(form.value, builder.CreateLoad(builder.getInt64Ty(), stream.distance));
    for (int64_t offset = 0; offset < stride->getSExtValue() * nest.laneCount(); offset += kLine)
      builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {builder.getPtrTy()},
                              {pointer(builder.CreateAdd(next, builder.getInt64(offset))), builder.getInt32(0),
                               builder.getInt32(3), builder.getInt32(1)});
  }
  streams.clear();
}

} // namespace nereid::cpu
