// Loops.cpp: plain loops and single elements, for ops that do not stream.
#include "cpu/Lowering.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::cpu {

void Lowering::emitLoop(llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(count);
  if (constant && constant->isOne())
    return body(builder.getInt64(0));
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(context, "each", function);
  auto *after = llvm::BasicBlock::Create(context, "all", function);
  if (constant)
    builder.CreateBr(loop);
  else
    builder.CreateCondBr(builder.CreateICmpUGT(count, builder.getInt64(0)), loop, after);
  builder.SetInsertPoint(loop);
  llvm::PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), before);
  body(index);
  llvm::Value *next = builder.CreateAdd(index, builder.getInt64(1), "", true, true);
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, count), loop, after);
  after->moveAfter(&function->back());
  builder.SetInsertPoint(after);
}

void Lowering::emitLoops(ArrayRef<int64_t> extents, llvm::function_ref<void(ArrayRef<llvm::Value *>)> body) {
  llvm::SmallVector<llvm::Value *> index;
  auto nest = [&](auto &self, size_t d) -> void {
    if (d == extents.size())
      return body(index);
    emitLoop(builder.getInt64(extents[d]), [&](llvm::Value *i) {
      index.push_back(i);
      self(self, d + 1);
      index.pop_back();
    });
  };
  nest(nest, 0);
}

llvm::Value *Lowering::allOf(ArrayRef<llvm::Value *> conditions) {
  llvm::SmallSetVector<llvm::Value *, 8> distinct(conditions.begin(), conditions.end());
  llvm::Value *all = distinct.front();
  for (llvm::Value *condition : distinct.getArrayRef().drop_front())
    all = builder.CreateAnd(all, condition);
  return all;
}

void Lowering::emitChoice(llvm::Value *condition, llvm::function_ref<void()> then,
                          llvm::function_ref<void()> otherwise) {
  auto *yes = llvm::BasicBlock::Create(context, "then", function);
  auto *no = llvm::BasicBlock::Create(context, "otherwise", function);
  auto *after = llvm::BasicBlock::Create(context, "end", function);
  builder.CreateCondBr(condition, yes, no);
  builder.SetInsertPoint(yes);
  then();
  builder.CreateBr(after);
  builder.SetInsertPoint(no);
  otherwise();
  builder.CreateBr(after);
  after->moveAfter(&function->back());
  builder.SetInsertPoint(after);
}

void Lowering::emitIf(llvm::Value *condition, llvm::function_ref<void()> then) {
  auto *yes = llvm::BasicBlock::Create(context, "then", function);
  auto *after = llvm::BasicBlock::Create(context, "end", function);
  builder.CreateCondBr(condition, yes, after);
  builder.SetInsertPoint(yes);
  then();
  builder.CreateBr(after);
  after->moveAfter(&function->back());
  builder.SetInsertPoint(after);
}

llvm::Value *Lowering::pointer(llvm::Value *address) { return builder.CreateIntToPtr(address, builder.getPtrTy()); }

llvm::Value *Lowering::loadScalar(llvm::Value *address, Type type) {
  llvm::Value *where = address->getType()->isPointerTy() ? address : pointer(address);
  llvm::Value *value = builder.CreateAlignedLoad(memoryType(context, type), where, llvm::Align(elementBytes(type)));
  return getElementTypeOrSelf(type).isInteger(1) ? builder.CreateICmpNE(value, builder.getInt8(0)) : value;
}

void Lowering::storeScalar(llvm::Value *address, llvm::Value *value, Type type) {
  llvm::Value *where = address->getType()->isPointerTy() ? address : pointer(address);
  if (getElementTypeOrSelf(type).isInteger(1))
    value = builder.CreateZExt(value, builder.getInt8Ty());
  builder.CreateAlignedStore(value, where, llvm::Align(elementBytes(type)));
}

llvm::Value *Lowering::elementPointer(const Buffer &buffer, ArrayRef<llvm::Value *> index, Type type) {
  llvm::Value *offset = builder.getInt64(0);
  for (size_t d = 0; d < index.size(); ++d)
    if (buffer.strides[d])
      offset = builder.CreateAdd(offset, builder.CreateMul(index[d], builder.getInt64(buffer.strides[d])));
  return builder.CreateInBoundsGEP(memoryType(context, type), buffer.data, offset);
}

llvm::Value *Lowering::loadElement(const Buffer &buffer, ArrayRef<llvm::Value *> index, Type type) {
  return loadScalar(elementPointer(buffer, index, type), type);
}

void Lowering::storeElement(const Buffer &buffer, ArrayRef<llvm::Value *> index, llvm::Value *value, Type type) {
  storeScalar(elementPointer(buffer, index, type), value, type);
}

} // namespace nereid::cpu
