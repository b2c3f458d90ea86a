#include "gpu/nvidia/InlinePtx.h"

#include "llvm/IR/InlineAsm.h"

namespace nereid::gpu {

void callPtx(llvm::IRBuilder<> &builder, const std::string &text, const std::string &constraints,
             llvm::ArrayRef<llvm::Value *> arguments, llvm::Value *condition) {
  Values all(arguments);
  std::string whole = text, effects = constraints;
  if (condition) {
    whole = "@$" + std::to_string(arguments.size()) + " " + whole;
    effects += effects.empty() ? "b" : ",b";
    all.push_back(condition);
  }
  effects += effects.empty() ? "~{memory}" : ",~{memory}";
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : all)
    types.push_back(argument->getType());
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  llvm::CallInst *call = builder.CreateCall(llvm::InlineAsm::get(type, whole, effects, true), all);
  if (llvm::StringRef(text).contains(".aligned"))
    call->addFnAttr(llvm::Attribute::Convergent);
}

unsigned bitsInRegister(llvm::Type *type) { return type->isPointerTy() ? 64 : type->getScalarSizeInBits(); }

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
  unsigned bits = bitsInRegister(type);
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
                 llvm::ArrayRef<llvm::Value *> elements, llvm::Value *predicate, const std::string &effects,
                 llvm::Value *policy) {
  Words words(bitsInRegister(elements.front()->getType()), elements.size());
  PtxInstruction made(lowering);
  made.add("l", address);
  for (llvm::Value *word : toWords(lowering, elements, words))
    made.add(words.constraint(), word);
  std::string text = instruction + " [$0], " + operandList(1, words.count);
  if (policy) {
    text += ", $" + std::to_string(made.next());
    made.add("l", policy);
  }
  if (predicate) {
    text = "@$" + std::to_string(made.next()) + " " + text;
    made.add("b", predicate);
  }
  made.emit(text, effects);
}

} // namespace nereid::gpu
