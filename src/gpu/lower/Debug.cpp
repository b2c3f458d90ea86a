// Debug.cpp: prints and assertions, told to the host through the launch's report (runtime/cuda/Artifact.h).
#include "codegen/Sites.h"
#include "gpu/lower/Lowering.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

#include <cstddef>

using namespace mlir;

namespace nereid::gpu {

uint32_t Lowering::siteOf(Operation *op, cuda::Site::Kind kind, const std::string &text) {
  artifact.sites.push_back(codegen::siteAt(op, kind, text));
  return uint32_t(artifact.sites.size() - 1);
}

static llvm::Value *fieldOf(Lowering &lowering, size_t offset) {
  return lowering.builder.CreateConstInBoundsGEP1_64(lowering.builder.getInt8Ty(), lowering.report, offset);
}

static llvm::Value *programIndex(Lowering &lowering, unsigned axis) {
  constexpr llvm::Intrinsic::ID kIds[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                          llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                          llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return lowering.builder.CreateIntrinsic(kIds[axis], {});
}

void Lowering::lowerAssert(tile::AssertOp op) {
  uint32_t site = siteOf(op, cuda::Site::Kind::Assert, op.getMessage().str());
  auto elements = [&](Value value, unsigned count) {
    return isTile(value.getType()) ? unpack(get(value)) : Values(count, get(value));
  };
  unsigned count = isTile(op.getCondition().getType()) ? warp::layoutOf(op.getCondition().getType()).registers() : 1;
  Values conditions = elements(op.getCondition(), count), masks;
  if (op.getMask())
    masks = elements(op.getMask(), count);
  llvm::Value *fails = builder.getFalse();
  for (unsigned r = 0; r < count; ++r) {
    llvm::Value *isBad = builder.CreateNot(conditions[r]);
    fails = builder.CreateOr(fails, masks.empty() ? isBad : builder.CreateAnd(isBad, masks[r]));
  }
  emitIf(fails, [&] {
    llvm::Value *exchange = builder.CreateAtomicCmpXchg(
        fieldOf(*this, offsetof(cuda::Report, failed)), builder.getInt32(0), builder.getInt32(site + 1), llvm::Align(4),
        llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    emitIf(builder.CreateExtractValue(exchange, 1), [&] {
      for (unsigned axis = 0; axis < 3; ++axis)
        builder.CreateStore(programIndex(*this, axis), fieldOf(*this, offsetof(cuda::Report, program) + 4 * axis));
    });
  });
  // The whole program ends, quietly: a trap would cost the process its GPU. In a function of single elements threads
  // are on their own; the next assertion outside ends the program.
  if (op->getParentOfType<tile::ReduceOp>() || op->getParentOfType<tile::ScanOp>() ||
      op->getParentOfType<tile::MapOp>())
    return;
  llvm::Value *any =
      builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all, {}, {builder.getInt32(0), fails});
  auto *end = llvm::BasicBlock::Create(context, "failed", function),
       *after = llvm::BasicBlock::Create(context, "passed", function);
  builder.CreateCondBr(any, end, after);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  builder.SetInsertPoint(after);
}

namespace {
// What one thread prints: an element with its place, where the thread is the one to print it.
struct Entry {
  uint32_t value;
  llvm::Value *index, *bits, *isMine;
};
} // namespace

void Lowering::lowerPrint(tile::PrintOp op) {
  uint32_t site = siteOf(op, cuda::Site::Kind::Print, op.getPrefix().str());
  llvm::SmallVector<Entry> entries;
  llvm::Value *isFirst = builder.CreateICmpEQ(thread, builder.getInt32(0)), *isAny = isFirst;
  for (auto [i, value] : llvm::enumerate(op.getArgs())) {
    auto wide = [&](llvm::Value *element) { return builder.CreateZExt(toBits(element), builder.getInt64Ty()); };
    if (!isTile(value.getType())) {
      entries.push_back({uint32_t(i), builder.getInt32(0), wide(get(value)), isFirst});
      continue;
    }
    LinearLayout layout = warp::layoutOf(value.getType());
    llvm::Value *owner = isOwner(layout);
    if (!owner)
      owner = builder.getTrue();
    isAny = builder.CreateOr(isAny, owner);
    for (auto [element, index] : llvm::zip(unpack(get(value)), unpack(points(layout))))
      entries.push_back({uint32_t(i), index, wide(element), owner});
  }
  uint32_t bytes = uint32_t(32 + 16 * entries.size());
  emitIf(isAny, [&] {
    llvm::Value *at = builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, fieldOf(*this, offsetof(cuda::Report, used)),
                                              builder.getInt32(bytes), llvm::Align(4), llvm::AtomicOrdering::Monotonic);
    llvm::Value *capacity = builder.CreateLoad(builder.getInt32Ty(), fieldOf(*this, offsetof(cuda::Report, capacity)));
    llvm::Value *end = builder.CreateAdd(at, builder.getInt32(bytes));
    emitIf(builder.CreateAnd(builder.CreateICmpULE(end, capacity), builder.CreateICmpUGE(end, at)), [&] {
      llvm::Value *data = builder.CreateLoad(builder.getInt64Ty(), fieldOf(*this, offsetof(cuda::Report, data)));
      llvm::Value *record = builder.CreateIntToPtr(
          builder.CreateAdd(data, builder.CreateZExt(at, builder.getInt64Ty())), builder.getPtrTy(kGlobal));
      auto put = [&](uint64_t offset, llvm::Value *word) {
        builder.CreateStore(word, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record, offset));
      };
      llvm::Value *head[] = {builder.getInt32(bytes), builder.getInt32(site), programIndex(*this, 0),
                             programIndex(*this, 1),  programIndex(*this, 2), thread,
                             builder.getInt32(0),     builder.getInt32(0)};
      for (auto [i, word] : llvm::enumerate(head))
        put(4 * i, word);
      for (auto [i, entry] : llvm::enumerate(entries)) {
        put(32 + 16 * i, builder.CreateSelect(entry.isMine, builder.getInt32(entry.value), builder.getInt32(-1)));
        put(36 + 16 * i, entry.index);
        put(40 + 16 * i, entry.bits);
      }
    });
  });
}

} // namespace nereid::gpu
