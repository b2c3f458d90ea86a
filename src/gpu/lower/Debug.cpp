// Debug.cpp: prints and assertions, told to the host through the launch's report (runtime/cuda/Artifact.h), or, where
// nobody would read it, by CUDA's own way to fail.
#include "codegen/Sites.h"
#include "gpu/lower/Lowering.h"

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

// Whether one of the thread's elements is false.
static llvm::Value *failsIn(Lowering &lowering, tile::AssertOp op) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto elements = [&](Value value, unsigned count) {
    return isTile(value.getType()) ? lowering.unpack(lowering.get(value)) : Values(count, lowering.get(value));
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
  return fails;
}

// A thread that fails does not come to the next exchange between threads, so that no other thread gets past it.
template <> void Lowering::lower(tile::AssertOp op) {
  llvm::Value *fails = failsIn(*this, op);
  if (options.choices.trapsOnAssert) {
    cuda::Site site = codegen::siteAt(op, cuda::Site::Kind::Assert, op.getMessage().str());
    return emitIf(
        fails, [&] { instructions.failAssertion(module, site.text, site.file, site.line, function->getName().str()); });
  }
  uint32_t site = siteOf(op, cuda::Site::Kind::Assert, op.getMessage().str());
  emitIf(fails, [&] {
    llvm::Value *exchange = builder.CreateAtomicCmpXchg(
        fieldOf(*this, offsetof(cuda::Report, failed)), builder.getInt32(0), builder.getInt32(site + 1), llvm::Align(4),
        llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    emitIf(builder.CreateExtractValue(exchange, 1), [&] {
      for (unsigned axis = 0; axis < 3; ++axis)
        builder.CreateStore(instructions.program(axis), fieldOf(*this, offsetof(cuda::Report, program) + 4 * axis));
    });
  });
  // The whole program ends, quietly: a trap would cost the process its GPU. In a function of single elements threads
  // are on their own; the next assertion outside ends the program.
  if (op->getParentWithTrait<tile::OfElements>())
    return;
  llvm::Value *any = instructions.anyInBlock(fails);
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

template <> void Lowering::lower(tile::PrintOp op) {
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
  // Where another launcher than ours starts the kernel, nobody reads what it prints.
  isAny = builder.CreateAnd(isAny, builder.CreateIsNotNull(report));
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
      llvm::Value *head[] = {builder.getInt32(bytes), builder.getInt32(site),  instructions.program(0),
                             instructions.program(1), instructions.program(2), thread,
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

template <> void Lowering::lower(tile::BarrierOp) { barrier(); }

void addDebugOps(OpTable &table) { table.add<tile::AssertOp, tile::PrintOp, tile::BarrierOp>(); }

} // namespace nereid::gpu
