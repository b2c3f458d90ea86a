// Access.cpp: predicated accesses are inline PTX, so that no branch is needed; the others are LLVM's own, which may be
// moved and merged.
#include "gpu/lower/Access.h"

#include "llvm/IR/InlineAsm.h"

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

unsigned bitsOf(llvm::Type *type) { return type->isPointerTy() ? 64 : type->getScalarSizeInBits(); }

} // namespace

Values toWords(Lowering &lowering, llvm::ArrayRef<llvm::Value *> elements, const Words &words) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *bits = lowering.toBits(lowering.pack(elements));
  auto *type = llvm::FixedVectorType::get(builder.getIntNTy(words.bits), words.count);
  Values list;
  for (llvm::Value *word : lowering.unpack(builder.CreateBitCast(bits, type)))
    list.push_back(builder.CreateZExt(word, words.type(builder)));
  return list;
}

Values fromWords(Lowering &lowering, llvm::ArrayRef<llvm::Value *> words, const Words &shape, llvm::Type *type,
                 unsigned count) {
  llvm::IRBuilder<> &builder = lowering.builder;
  Values cut;
  for (llvm::Value *word : words)
    cut.push_back(builder.CreateTrunc(word, builder.getIntNTy(shape.bits)));
  unsigned bits = bitsOf(type);
  llvm::Value *vector =
      builder.CreateBitCast(lowering.pack(cut), llvm::FixedVectorType::get(builder.getIntNTy(bits), count));
  return lowering.unpack(lowering.fromBits(vector, llvm::FixedVectorType::get(type, count)));
}

std::string operandList(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count > 1 ? "{" + text + "}" : text;
}

unsigned accessWidth(Lowering &lowering, mlir::Value pointers, mlir::Value mask, const LinearLayout &layout,
                     llvm::Type *element) {
  const analysis::AxisInfo &info = lowering.axes.of(pointers);
  unsigned bytes = Lowering::bytesOf(element), best = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    int64_t width = std::min<int64_t>({int64_t(layout.contiguousRegisters(axis)), info.contiguity[axis],
                                       std::max<int64_t>(1, info.divisibility[axis] / bytes), int64_t(16 / bytes)});
    if (mask)
      width = std::min(width, lowering.axes.of(mask).constancy[axis]);
    best = std::max(best, unsigned(std::max<int64_t>(1, width)));
  }
  return best;
}

Values loadGlobal(Lowering &lowering, llvm::Value *address, llvm::Type *type, unsigned count, llvm::Value *predicate,
                  llvm::ArrayRef<llvm::Value *> other, const AccessHints &hints) {
  llvm::IRBuilder<> &builder = lowering.builder;
  unsigned bits = bitsOf(type);
  if (!predicate && hints.isPlain()) {
    auto *vector = llvm::FixedVectorType::get(type, count);
    return lowering.unpack(builder.CreateAlignedLoad(vector, address, llvm::Align(bits / 8 * count)));
  }
  Words words(bits, count);
  llvm::Type *word = words.type(builder);
  Values arguments{address};
  llvm::SmallVector<llvm::Type *> types{address->getType()};
  std::string constraints, text;
  for (unsigned i = 0; i < words.count; ++i)
    constraints += "=" + words.constraint() + ",";
  constraints += "l";
  if (predicate) {
    arguments.push_back(predicate);
    types.push_back(predicate->getType());
    constraints += ",b";
    text = "@$" + std::to_string(words.count + 1) + " ";
    // What stays where the predicate is false is tied to the results.
    Values kept =
        other.empty() ? Values(words.count, llvm::Constant::getNullValue(word)) : toWords(lowering, other, words);
    for (unsigned i = 0; i < words.count; ++i) {
      arguments.push_back(kept[i]);
      types.push_back(word);
      constraints += "," + std::to_string(i);
    }
  }
  text += "ld" + modifiers(hints, true) + suffix(words) + " " + operandList(0, words.count) + ", [$" +
          std::to_string(words.count) + "];";
  llvm::Type *result =
      words.count == 1 ? word
                       : llvm::StructType::get(lowering.context, llvm::SmallVector<llvm::Type *>(words.count, word));
  auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text, constraints, true);
  llvm::Value *loaded = builder.CreateCall(code, arguments);
  Values parts;
  for (unsigned i = 0; i < words.count; ++i)
    parts.push_back(words.count == 1 ? loaded : builder.CreateExtractValue(loaded, i));
  return fromWords(lowering, parts, words, type, count);
}

void storeGlobal(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements,
                 llvm::Value *predicate, const AccessHints &hints) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Type *type = elements.front()->getType();
  unsigned bits = bitsOf(type);
  if (!predicate && hints.isPlain()) {
    builder.CreateAlignedStore(lowering.pack(elements), address, llvm::Align(bits / 8 * elements.size()));
    return;
  }
  Words words(bits, elements.size());
  Values arguments{address};
  llvm::SmallVector<llvm::Type *> types{address->getType()};
  std::string constraints = "l", text;
  for (llvm::Value *word : toWords(lowering, elements, words)) {
    arguments.push_back(word);
    types.push_back(word->getType());
    constraints += "," + words.constraint();
  }
  if (predicate) {
    text = "@$" + std::to_string(arguments.size()) + " ";
    arguments.push_back(predicate);
    types.push_back(predicate->getType());
    constraints += ",b";
  }
  text += "st" + modifiers(hints, false) + suffix(words) + " [$0], " + operandList(1, words.count) + ";";
  auto *code =
      llvm::InlineAsm::get(llvm::FunctionType::get(builder.getVoidTy(), types, false), text, constraints, true);
  builder.CreateCall(code, arguments);
}

} // namespace nereid::gpu
