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

PtxInstruction::PtxInstruction(Lowering &lowering, const Words &results)
    : lowering(lowering), result(results.type(lowering.builder)), resultCount(results.count) {
  for (unsigned i = 0; i < resultCount; ++i)
    constraints += (i ? ",=" : "=") + results.constraint();
}

void PtxInstruction::add(const std::string &constraint, llvm::Value *value) {
  constraints += (constraints.empty() ? "" : ",") + constraint;
  arguments.push_back(value);
  types.push_back(value->getType());
}

Values PtxInstruction::emit(const std::string &text, const std::string &effects) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Type *all = builder.getVoidTy();
  if (resultCount == 1)
    all = result;
  else if (resultCount)
    all = llvm::StructType::get(lowering.context, llvm::SmallVector<llvm::Type *>(resultCount, result));
  auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(all, types, false), text + ";",
                                    constraints + (effects.empty() ? "" : "," + effects), true);
  llvm::Value *given = builder.CreateCall(code, arguments);
  Values parts;
  for (unsigned i = 0; i < resultCount; ++i)
    parts.push_back(resultCount == 1 ? given : builder.CreateExtractValue(given, i));
  return parts;
}

void writeGlobal(Lowering &lowering, const std::string &instruction, llvm::Value *address,
                 llvm::ArrayRef<llvm::Value *> elements, llvm::Value *predicate, const std::string &effects) {
  Words words(bitsOf(elements.front()->getType()), elements.size());
  PtxInstruction made(lowering);
  made.add("l", address);
  for (llvm::Value *word : toWords(lowering, elements, words))
    made.add(words.constraint(), word);
  std::string text = instruction + " [$0], " + operandList(1, words.count);
  if (predicate) {
    text = "@$" + std::to_string(made.next()) + " " + text;
    made.add("b", predicate);
  }
  made.emit(text, effects);
}

unsigned accessWidth(const analysis::AxisInfoAnalysis &axes, mlir::Value pointers, mlir::Value mask,
                     const LinearLayout &layout, unsigned bytes) {
  const analysis::AxisInfo &info = axes.of(pointers);
  unsigned best = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    int64_t width = std::min<int64_t>({int64_t(layout.contiguousRegisters(axis)), info.contiguity[axis],
                                       std::max<int64_t>(1, info.divisibility[axis] / bytes), int64_t(16 / bytes)});
    if (mask)
      width = std::min(width, axes.of(mask).constancy[axis]);
    best = std::max(best, unsigned(std::max<int64_t>(1, width)));
  }
  return best;
}

unsigned equalAccesses(const analysis::AxisInfoAnalysis &axes, mlir::ValueRange operands, const LinearLayout &layout) {
  unsigned best = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    int64_t equal = layout.contiguousRegisters(axis);
    for (mlir::Value operand : operands)
      if (isTile(operand.getType()))
        equal = std::min(equal, axes.of(operand).constancy[axis]);
    best = std::max(best, unsigned(equal));
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

void storeGlobal(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements,
                 llvm::Value *predicate, const AccessHints &hints) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Type *type = elements.front()->getType();
  unsigned bits = bitsOf(type);
  if (!predicate && hints.isPlain()) {
    builder.CreateAlignedStore(lowering.pack(elements), address, llvm::Align(bits / 8 * elements.size()));
    return;
  }
  writeGlobal(lowering, "st" + modifiers(hints, false) + suffix(Words(bits, elements.size())), address, elements,
              predicate);
}

} // namespace nereid::gpu
