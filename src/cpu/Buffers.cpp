// Buffers.cpp: where materialized tiles live, and for how long.
#include "cpu/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;

namespace nereid::cpu {

const Buffer *Lowering::findBuffer(Value value) const {
  auto it = buffers.find(value);
  return it == buffers.end() ? nullptr : &it->second;
}

// At the entry, so that nests can use it at every level.
llvm::Value *Lowering::arenaPointer(uint64_t offset) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder);
  llvm::BasicBlock &entry = function->getEntryBlock();
  builder.SetInsertPoint(&entry, entry.begin());
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), scratch, offset);
}

llvm::AllocaInst *Lowering::stackSlot(llvm::Type *type, const char *name) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder);
  llvm::BasicBlock &entry = function->getEntryBlock();
  builder.SetInsertPoint(&entry, entry.begin());
  return builder.CreateAlloca(type, nullptr, name);
}

Buffer Lowering::allocateWith(Type type, ArrayRef<unsigned> order, Value owner) {
  auto shape = tile::shapeOf(type);
  Buffer buffer;
  buffer.strides.resize(shape.size());
  int64_t count = 1;
  for (unsigned d : llvm::reverse(order)) {
    buffer.strides[d] = count;
    count *= shape[d];
  }
  uint64_t offset = arena.allocate(uint64_t(count) * elementBytes(type));
  buffer.data = arenaPointer(offset);
  Block *block = owner ? owner.getParentBlock() : currentOp->getBlock();
  owned.push_back({owner, block, owner ? lastUseOf(owner, block) : currentOp, offset});
  return buffer;
}

Buffer Lowering::allocate(Type type, Value owner) {
  llvm::SmallVector<unsigned, 4> order(tile::shapeOf(type).size());
  std::iota(order.begin(), order.end(), 0u);
  return allocateWith(type, order, owner);
}

llvm::Value *Lowering::temporary(uint64_t bytes) {
  uint64_t offset = arena.allocate(bytes);
  owned.push_back({Value(), currentOp->getBlock(), currentOp, offset});
  return arenaPointer(offset);
}

// The tile of `from`, which nobody reads any more, becomes that of `to`.
void Lowering::passOn(Value from, Value to) {
  Buffer buffer = buffers[from];
  buffers[to] = buffer;
  for (Owned &place : owned)
    if (place.value == from) {
      place.value = to;
      place.block = to.getParentBlock();
      place.lastUse = lastUseOf(to, place.block);
    }
}

// Ops whose result is read where it is used, so that its uses count as uses of the operand.
static bool isReadLater(Operation *op) {
  return op->hasTrait<tile::Rearranges>() || op->hasTrait<tile::SameBits>() || isa<tile::LoadOp, tile::DotOp>(op);
}

Operation *Lowering::lastUseOf(Value value, Block *block) {
  Operation *last = nullptr;
  llvm::SmallVector<Value> work{value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    for (Operation *user : current.getUsers()) {
      Operation *at = block->findAncestorOpInBlock(*user);
      if (!at)
        return block->getTerminator();
      if (!last || last->isBeforeInBlock(at))
        last = at;
      // So do the uses of what is computed from it where it is used.
      if (isReadLater(user) || isCheap(current) || (user->getNumResults() == 1 && isRecomputable(user->getResult(0))))
        work.append(user->result_begin(), user->result_end());
    }
  }
  return last ? last : (value.getDefiningOp() ? value.getDefiningOp() : &block->front());
}

void Lowering::sweep(Operation *current) {
  if (group.isOpen())
    return; // its members still read their operands
  llvm::erase_if(owned, [&](const Owned &place) {
    bool isDone =
        place.block == current->getBlock() && (place.lastUse == current || place.lastUse->isBeforeInBlock(current));
    if (isDone)
      arena.release(place.offset);
    return isDone;
  });
}

void Lowering::releaseBlock(Block &block) {
  llvm::erase_if(owned, [&](const Owned &place) {
    if (place.block != &block)
      return false;
    arena.release(place.offset);
    return true;
  });
}

llvm::Constant *Lowering::denseConstant(DenseElementsAttr value, Type type) {
  llvm::SmallVector<llvm::Constant *> numbers;
  llvm::Type *inMemory = memoryType(context, type);
  for (Attribute element : value.getValues<Attribute>()) {
    llvm::Constant *number = scalarConstant(context, element, getElementTypeOrSelf(type));
    numbers.push_back(inMemory == number->getType()
                          ? number
                          : llvm::ConstantInt::get(inMemory, llvm::cast<llvm::ConstantInt>(number)->getZExtValue()));
  }
  return llvm::ConstantArray::get(llvm::ArrayType::get(inMemory, numbers.size()), numbers);
}

} // namespace nereid::cpu
