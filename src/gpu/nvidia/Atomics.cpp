// Atomics.cpp: read-modify-write by one instruction of PTX, of several neighbours where there is one.
#include "gpu/nvidia/InlinePtx.h"

namespace nereid::gpu {

namespace {

const char *nameOf(tile::MemSem sem) {
  constexpr const char *kNames[] = {".relaxed", ".acquire", ".release", ".acq_rel"};
  return kNames[unsigned(sem)];
}
const char *nameOf(tile::MemScope scope) {
  constexpr const char *kNames[] = {".cta", ".gpu", ".sys"};
  return kNames[unsigned(scope)];
}
// ".global.gpu.relaxed": in the order that Triton's tests look for, as that of changeIfEqual.
std::string placeOf(tile::MemSem sem, tile::MemScope scope) {
  return std::string(".global") + nameOf(scope) + nameOf(sem);
}

// PTX's name of an operation on neighbours of a type, or nothing where it has none.
std::string instructionOf(tile::RmwKind kind, llvm::Type *type, unsigned width, const Target &target) {
  unsigned bits = type->getScalarSizeInBits();
  std::string number = std::to_string(bits);
  if (kind == tile::RmwKind::FAdd) {
    std::string vector = Words(bits, width).vector();
    if (type->isFloatTy() || type->isDoubleTy())
      return ".add" + vector + ".f" + number;
    bool isKnown = type->isHalfTy() || (type->isBFloatTy() && target.hasBf16Atomics);
    return !isKnown ? "" : ".add.noftz" + vector + (type->isHalfTy() ? ".f16" : ".bf16") + (width > 1 ? "x2" : "");
  }
  if (bits != 32 && bits != 64)
    return "";
  switch (kind) {
  case tile::RmwKind::And: return ".and.b" + number;
  case tile::RmwKind::Or: return ".or.b" + number;
  case tile::RmwKind::Xor: return ".xor.b" + number;
  case tile::RmwKind::Add: return ".add.u" + number;
  case tile::RmwKind::Max: return ".max.s" + number;
  case tile::RmwKind::Min: return ".min.s" + number;
  case tile::RmwKind::UMax: return ".max.u" + number;
  case tile::RmwKind::UMin: return ".min.u" + number;
  case tile::RmwKind::Xchg: return ".exch.b" + number;
  default: return "";
  }
}

// The instruction with these operands, each of neighbouring elements, behind the address: their old values.
Values emitAtomic(Lowering &lowering, const std::string &name, llvm::Value *address,
                  llvm::ArrayRef<llvm::ArrayRef<llvm::Value *>> operands) {
  llvm::Type *type = operands[0][0]->getType();
  unsigned width = operands[0].size();
  Words words(type->getScalarSizeInBits(), width);
  PtxInstruction instruction(lowering, words);
  instruction.add("l", address);
  std::string text = "atom" + name + " " + operandList(0, words.count) + ", [$" + std::to_string(words.count) + "]";
  for (llvm::ArrayRef<llvm::Value *> elements : operands) {
    text += ", " + operandList(instruction.next(), words.count);
    for (llvm::Value *word : toWords(lowering, elements, words))
      instruction.add(words.constraint(), word);
  }
  return fromWords(lowering, instruction.emit(text, "~{memory}"), words, type, width);
}

} // namespace

bool Instructions::hasAtomic(tile::RmwKind kind, llvm::Type *type, unsigned width, const Target &target) {
  return !instructionOf(kind, type, width, target).empty();
}

Values Instructions::change(Lowering &lowering, const AtomicOrder &order, tile::RmwKind kind, llvm::Value *address,
                            llvm::ArrayRef<llvm::Value *> elements) {
  std::string name = instructionOf(kind, elements[0]->getType(), elements.size(), lowering.options.target);
  return emitAtomic(lowering, placeOf(order.sem, order.scope) + name, address, elements);
}

void Instructions::reduce(Lowering &lowering, const AtomicOrder &order, tile::RmwKind kind, llvm::Value *address,
                          llvm::ArrayRef<llvm::Value *> elements, llvm::Value *condition) {
  std::string name = instructionOf(kind, elements[0]->getType(), elements.size(), lowering.options.target);
  writeGlobal(lowering, "red" + placeOf(order.sem, order.scope) + name, address, elements, condition, "~{memory}");
}

llvm::Value *Instructions::changeIfEqual(Lowering &lowering, const AtomicOrder &order, llvm::Value *address,
                                         llvm::Value *expected, llvm::Value *value) {
  std::string name = std::string(".global") + nameOf(order.sem) + nameOf(order.scope) + ".cas.b" +
                     std::to_string(expected->getType()->getScalarSizeInBits());
  return emitAtomic(lowering, name, address, {expected, value}).front();
}

} // namespace nereid::gpu
