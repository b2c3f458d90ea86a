// Access.cpp: loads and stores under a predicate, or with hints, are inline PTX, so that no branch is needed.
#include "gpu/lower/Access.h"
#include "gpu/nvidia/InlinePtx.h"

namespace nereid::gpu {

namespace {

std::string modifiers(const AccessHints &hints, bool isLoad) {
  using Cache = tile::CacheModifier;
  if (hints.isVolatile)
    return ".volatile.global";
  std::string text = ".global";
  switch (hints.cache) {
  case Cache::None: break;
  case Cache::CA: text += isLoad ? ".ca" : ".wb"; break;
  case Cache::CG: text += ".cg"; break;
  case Cache::CS: text += ".cs"; break;
  case Cache::CV: text += isLoad ? ".cv" : ".wt"; break;
  case Cache::WB: text += isLoad ? ".ca" : ".wb"; break;
  case Cache::WT: text += isLoad ? ".cv" : ".wt"; break;
  }
  // An eviction policy and a cache operator exclude each other.
  if (hints.cache == Cache::None && hints.evict == tile::EvictionPolicy::First)
    text += ".L1::evict_first";
  if (hints.cache == Cache::None && hints.evict == tile::EvictionPolicy::Last)
    text += ".L1::evict_last";
  return text;
}

std::string suffix(const Words &words) { return words.vector() + ".b" + std::to_string(words.bits); }

} // namespace

Values Instructions::load(Lowering &lowering, llvm::Value *address, llvm::Type *type, unsigned count,
                          llvm::Value *predicate, llvm::ArrayRef<llvm::Value *> other, const AccessHints &hints) {
  Words words(bitsInRegister(type), count);
  PtxInstruction instruction(lowering, words);
  instruction.add("l", address);
  std::string text;
  if (predicate) {
    text = "@$" + std::to_string(instruction.next()) + " ";
    instruction.add("b", predicate);
    // What stays where the predicate is false is tied to the results.
    Values kept = other.empty() ? Values(words.count, llvm::Constant::getNullValue(words.type(builder)))
                                : toWords(lowering, other, words);
    for (unsigned i = 0; i < words.count; ++i)
      instruction.add(std::to_string(i), kept[i]);
  }
  text += "ld" + modifiers(hints, true) + suffix(words) + " " + operandList(0, words.count) + ", [$" +
          std::to_string(words.count) + "]";
  return fromWords(lowering, instruction.emit(text), words, type, count);
}

void Instructions::store(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements,
                         llvm::Value *predicate, const AccessHints &hints) {
  Words words(bitsInRegister(elements.front()->getType()), elements.size());
  writeGlobal(lowering, "st" + modifiers(hints, false) + suffix(words), address, elements, predicate);
}

} // namespace nereid::gpu
