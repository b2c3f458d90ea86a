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

Terms replaceIf(llvm::Value *condition, llvm::ArrayRef<Term> values, llvm::function_ref<Terms()> others) {
  llvm::IRBuilderBase &builder = values[0].code->builder;
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *inside = llvm::BasicBlock::Create(builder.getContext(), "where", before->getParent());
  auto *after = llvm::BasicBlock::Create(builder.getContext(), "replaced", before->getParent());
  builder.CreateCondBr(condition, inside, after);
  builder.SetInsertPoint(inside);
  Terms replaced = others(), result;
  inside = builder.GetInsertBlock();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  for (auto [value, other] : llvm::zip(values, replaced)) {
    llvm::PHINode *phi = builder.CreatePHI(value.type(), 2);
    phi->addIncoming(value.value, before);
    phi->addIncoming(other.value, inside);
    result.push_back(value.with(phi));
  }
  return result;
}

Term replaceWhere(Term condition, Term value, Term x, llvm::function_ref<Term(Term)> other) {
  llvm::IRBuilderBase &builder = value.code->builder;
  if (!value.type()->isVectorTy())
    return replaceIf(condition.value, value, [&] { return Terms{other(x)}; })[0];
  return replaceIf(anyLane(condition), value, [&] {
    Term result = value;
    for (unsigned i = 0; i < value.lanes(); ++i) {
      auto lane = [&](Term of) { return of.with(builder.CreateExtractElement(of.value, i)); };
      Term replaced = replaceWhere(lane(condition), lane(value), lane(x), other);
      result = result.with(builder.CreateInsertElement(result.value, replaced.value, i));
    }
    return Terms{result};
  })[0];
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
