// Scopes.cpp: the profiler's scopes inside of a kernel. The first thread of each warp notes its clocks when its warp comes to the begin or the
// end of a scope, in memory of its warp alone (runtime/cuda/Artifact.h): no atomics, and nothing to wait for. Where nobody profiles the launch, a
// mark is a comparison of two registers; a kernel without scopes has nothing of it.
#include "gpu/lower/Lowering.h"

#include <cstddef>

using namespace mlir;

namespace nereid::gpu {

// How many marks the thread may write and where the next one goes: none, unless the report has room for them.
void Lowering::prepareMarks() {
  bool hasScopes = kernel.walk([](tile::ScopeOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!hasScopes)
    return;
  llvm::Type *word = builder.getInt32Ty(), *wide = builder.getInt64Ty();
  marks.left = builder.CreateAlloca(word, nullptr, "marks_left");
  marks.next = builder.CreateAlloca(wide, nullptr, "next_mark");
  builder.CreateStore(builder.getInt32(0), marks.left);
  builder.CreateStore(builder.getInt64(0), marks.next);
  llvm::Value *isFirst = builder.CreateICmpEQ(lane, builder.getInt32(0));
  emitIf(builder.CreateAnd(isFirst, builder.CreateIsNotNull(report)), [&] {
    auto field = [&](llvm::Type *type, size_t offset) {
      return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), report, offset));
    };
    auto widened = [&](llvm::Value *number) { return builder.CreateZExt(number, wide); };
    llvm::Value *number = widened(instructions.program(2));
    for (unsigned axis : {1u, 0u})
      number = builder.CreateAdd(builder.CreateMul(number, widened(instructions.programs(axis))),
                                 widened(instructions.program(axis)));
    llvm::Value *warps = field(word, offsetof(cuda::Report, warps)), *room = field(word, offsetof(cuda::Report, marks));
    number = builder.CreateAdd(builder.CreateMul(number, widened(warps)), widened(warpIndex));
    llvm::Value *isMarked = builder.CreateICmpULT(number, widened(field(word, offsetof(cuda::Report, markedWarps))));
    builder.CreateStore(builder.CreateSelect(isMarked, room, builder.getInt32(0)), marks.left);
    llvm::Value *bytes = builder.CreateMul(widened(room), builder.getInt64(sizeof(cuda::Mark)));
    builder.CreateStore(
        builder.CreateAdd(field(wide, offsetof(cuda::Report, markData)), builder.CreateMul(number, bytes)), marks.next);
  });
}

template <> void Lowering::lower(tile::ScopeOp op) {
  uint32_t site = siteOf(op, cuda::Site::Kind::Scope, op.getName().str());
  llvm::Value *left = builder.CreateLoad(builder.getInt32Ty(), marks.left);
  emitIf(builder.CreateICmpNE(left, builder.getInt32(0)), [&] {
    builder.CreateStore(builder.CreateSub(left, builder.getInt32(1)), marks.left);
    llvm::Value *at = builder.CreateLoad(builder.getInt64Ty(), marks.next);
    builder.CreateStore(builder.CreateAdd(at, builder.getInt64(sizeof(cuda::Mark))), marks.next);
    llvm::Value *mark = builder.CreateIntToPtr(at, builder.getPtrTy(kGlobal));
    auto put = [&](uint64_t offset, llvm::Value *value) {
      builder.CreateAlignedStore(value, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), mark, offset),
                                 llvm::Align(8));
    };
    put(offsetof(cuda::Mark, site), builder.getInt64(2 * (uint64_t(site) + 1) + op.getExit()));
    put(offsetof(cuda::Mark, time), instructions.time());
    put(offsetof(cuda::Mark, cycles), instructions.special("clock"));
  });
}

void addScopeOps(OpTable &table) { table.add<tile::ScopeOp>(); }

} // namespace nereid::gpu
