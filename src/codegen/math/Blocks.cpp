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

// What `replaced` gives where the condition, of one lane, holds.
static Term ifSo(llvm::Value *condition, Term value, llvm::function_ref<Term()> replaced) {
  llvm::IRBuilderBase &builder = value.code->builder;
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *inside = llvm::BasicBlock::Create(builder.getContext(), "where", before->getParent());
  auto *after = llvm::BasicBlock::Create(builder.getContext(), "replaced", before->getParent());
  builder.CreateCondBr(condition, inside, after);
  builder.SetInsertPoint(inside);
  Term other = replaced();
  inside = builder.GetInsertBlock();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  llvm::PHINode *result = builder.CreatePHI(value.type(), 2);
  result->addIncoming(value.value, before);
  result->addIncoming(other.value, inside);
  return value.with(result);
}

Term replaceWhere(Term condition, Term value, Term x, llvm::function_ref<Term(Term)> other) {
  llvm::IRBuilderBase &builder = value.code->builder;
  if (!value.type()->isVectorTy())
    return ifSo(condition.value, value, [&] { return other(x); });
  return ifSo(anyLane(condition), value, [&] {
    Term result = value;
    for (unsigned i = 0; i < value.lanes(); ++i) {
      auto lane = [&](Term of) { return of.with(builder.CreateExtractElement(of.value, i)); };
      Term replaced = ifSo(lane(condition).value, lane(value), [&] { return other(lane(x)); });
      result = result.with(builder.CreateInsertElement(result.value, replaced.value, i));
    }
    return result;
  });
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
