// Loop.cpp: counted loops in LLVM IR with constant bounds.
#include "cpu/dot/Loop.h"

namespace nereid::cpu::dot {

using Values = llvm::SmallVector<llvm::Value *, 32>;

Values emitLoop(llvm::IRBuilderBase &builder, int64_t begin, int64_t end, int64_t step,
                llvm::ArrayRef<llvm::Value *> carried,
                llvm::function_ref<void(llvm::Value *i, llvm::MutableArrayRef<llvm::Value *> carried)> body) {
  Values values(carried.begin(), carried.end());
  if (begin >= end)
    return values;
  if (begin + step >= end) {
    body(builder.getInt64(begin), values);
    return values;
  }
  llvm::BasicBlock *before = builder.GetInsertBlock();
  llvm::Function *function = before->getParent();
  llvm::BasicBlock *block = llvm::BasicBlock::Create(builder.getContext(), "loop", function);
  builder.CreateBr(block);
  builder.SetInsertPoint(block);
  llvm::PHINode *i = builder.CreatePHI(builder.getInt64Ty(), 2);
  i->addIncoming(builder.getInt64(begin), before);
  llvm::SmallVector<llvm::PHINode *, 32> phis;
  for (llvm::Value *&value : values) {
    phis.push_back(builder.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    value = phis.back();
  }
  body(i, values);
  llvm::Value *next = builder.CreateAdd(i, builder.getInt64(step), "", true, true);
  llvm::BasicBlock *last = builder.GetInsertBlock();
  llvm::BasicBlock *after = llvm::BasicBlock::Create(builder.getContext(), "after", function);
  builder.CreateCondBr(builder.CreateICmpSLT(next, builder.getInt64(end)), block, after);
  i->addIncoming(next, last);
  for (auto [phi, value] : llvm::zip(phis, values))
    phi->addIncoming(value, last);
  builder.SetInsertPoint(after);
  return values;
}

void emitLoop(llvm::IRBuilderBase &builder, int64_t begin, int64_t end, int64_t step,
              llvm::function_ref<void(llvm::Value *i)> body) {
  emitLoop(builder, begin, end, step, {}, [&](llvm::Value *i, llvm::MutableArrayRef<llvm::Value *>) { body(i); });
}

} // namespace nereid::cpu::dot
