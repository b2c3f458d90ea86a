// Access.cpp: loads and stores under a predicate, or with hints, are inline PTX, so that no branch is needed.
#include "gpu/lower/Access.h"
#include "gpu/nvidia/InlinePtx.h"

#include "llvm/IR/InlineAsm.h"

namespace nereid::gpu {

namespace {

std::string modifiers(const AccessHints &hints, bool isLoad, bool hasPolicy) {
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
  // The L1 cache takes an eviction policy or an operator.
  if (hints.cache == Cache::None && hints.evict == tile::EvictionPolicy::First)
    text += ".L1::evict_first";
  if (hints.cache == Cache::None && hints.evict == tile::EvictionPolicy::Last)
    text += ".L1::evict_last";
  return text + (hasPolicy ? ".L2::cache_hint" : "");
}

std::string suffix(const Words &words) { return words.vector() + ".b" + std::to_string(words.bits); }

} // namespace

llvm::Value *Instructions::cachePolicy(Lowering &lowering, const AccessHints &hints) {
  if (hints.evict == tile::EvictionPolicy::Normal || hints.isVolatile || !lowering.options.target.hasCachePolicies)
    return nullptr;
  llvm::Value *&policy = policies[hints.evict];
  if (!policy) {
    llvm::IRBuilder<>::InsertPointGuard guard(builder);
    llvm::BasicBlock &entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
    builder.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    std::string kind = hints.evict == tile::EvictionPolicy::First ? "evict_first" : "evict_last";
    auto *type = llvm::FunctionType::get(builder.getInt64Ty(), false);
    policy = builder.CreateCall(
        llvm::InlineAsm::get(type, "createpolicy.fractional.L2::" + kind + ".b64 $0, 1.0;", "=l", false));
  }
  return policy;
}

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
  llvm::Value *policy = cachePolicy(lowering, hints);
  text += "ld" + modifiers(hints, true, policy) + suffix(words) + " " + operandList(0, words.count) + ", [$" +
          std::to_string(words.count) + "]";
  if (policy) {
    text += ", $" + std::to_string(instruction.next());
    instruction.add("l", policy);
  }
  return fromWords(lowering, instruction.emit(text), words, type, count);
}

void Instructions::store(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements,
                         llvm::Value *predicate, const AccessHints &hints) {
  Words words(bitsInRegister(elements.front()->getType()), elements.size());
  llvm::Value *policy = cachePolicy(lowering, hints);
  writeGlobal(lowering, "st" + modifiers(hints, false, policy) + suffix(words), address, elements, predicate, "",
              policy);
}

} // namespace nereid::gpu
