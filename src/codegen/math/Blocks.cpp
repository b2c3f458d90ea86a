// Blocks.cpp: control flow inside the functions of Outline.h.
#include "codegen/math/Blocks.h"

namespace nereid::codegen::terms {

llvm::Value *anyLane(Term condition) {
  return condition.lanes() == 1 ? condition.value : condition.code->builder.CreateOrReduce(condition.value);
}

Term whileAny(Term start, llvm::function_ref<Term(Term)> goesOn, llvm::function_ref<Term(Term)> step) {
  llvm::IRBuilderBase &builder = start.code->builder;
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(builder.getContext(), name, before->getParent());
  };
  llvm::BasicBlock *test = block("test"), *body = block("body"), *after = block("after");
  builder.CreateBr(test);
  builder.SetInsertPoint(test);
  llvm::PHINode *value = builder.CreatePHI(start.type(), 2);
  value->addIncoming(start.value, before);
  builder.CreateCondBr(anyLane(goesOn(start.with(value))), body, after);
  builder.SetInsertPoint(body);
  Term next = step(start.with(value));
  value->addIncoming(next.value, builder.GetInsertBlock());
  builder.CreateBr(test);
  builder.SetInsertPoint(after);
  return start.with(value);
}

} // namespace nereid::codegen::terms
