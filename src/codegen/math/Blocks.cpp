#include "codegen/math/Blocks.h"

namespace nereid::codegen::terms {

llvm::Value *anyLane(Term condition) {
  llvm::IRBuilderBase &builder = condition.code->builder;
  if (!condition.type()->isVectorTy())
    return condition.value;
  if (!condition.code->target.isNvidia)
    return builder.CreateOrReduce(condition.value);
  // A GPU's predicates are no bits of a number.
  llvm::Value *any = builder.getFalse();
  for (unsigned i = 0; i < condition.lanes(); ++i)
    any = builder.CreateOr(any, builder.CreateExtractElement(condition.value, i));
  return any;
}

Term replaceWhere(Term condition, Term value, llvm::function_ref<Term()> other) {
  llvm::IRBuilderBase &builder = value.code->builder;
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *inside = llvm::BasicBlock::Create(builder.getContext(), "where", before->getParent());
  auto *after = llvm::BasicBlock::Create(builder.getContext(), "replaced", before->getParent());
  builder.CreateCondBr(anyLane(condition), inside, after);
  builder.SetInsertPoint(inside);
  Term replaced = select(condition, other(), value);
  inside = builder.GetInsertBlock();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  llvm::PHINode *result = builder.CreatePHI(value.type(), 2);
  result->addIncoming(value.value, before);
  result->addIncoming(replaced.value, inside);
  return value.with(result);
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
