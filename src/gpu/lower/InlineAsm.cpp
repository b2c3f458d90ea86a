// InlineAsm.cpp: the user's assembly on groups of elements, functions of scalars on groups, and special registers.
#include "gpu/lower/Lowering.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class AsmCall {
public:
  AsmCall(Lowering &lowering, tile::InlineAsmOp op) : lowering(lowering), builder(lowering.builder), op(op) {
    llvm::SmallVector<llvm::StringRef> words;
    op.getConstraints().split(words, ',');
    for (llvm::StringRef word : words) {
      word = word.trim();
      if (word.starts_with("="))
        outputs.push_back(word.drop_front().ltrim('&'));
      else if (!word.empty() && !word.starts_with("~"))
        inputs.push_back(word);
    }
  }

  void run() {
    for (llvm::StringRef constraint : llvm::concat<llvm::StringRef>(outputs, inputs))
      if (!lowering.instructions.registerType(constraint))
        return lowering.fail(op, "`" + constraint.str() +
                                     "` in the constraints of the inline assembly is no register "
                                     "of this GPU");
    unsigned count = 1;
    for (Value result : op.getResults())
      if (isTile(result.getType()))
        count = warp::layoutOf(result.getType()).registers();
    llvm::SmallVector<Values> operands, results(op.getNumResults());
    for (Value operand : op.getOperands()) {
      llvm::Value *value = lowering.get(operand);
      operands.push_back(isTile(operand.getType()) ? lowering.unpack(value) : Values(count, value));
    }
    for (unsigned first = 0; first < count; first += op.getPack())
      runGroup(operands, first, results);
    if (lowering.hasFailed())
      return;
    for (auto [result, elements] : llvm::zip(op.getResults(), results)) {
      elements.truncate(count);
      lowering.set(result, isTile(result.getType()) ? lowering.pack(elements) : elements[0]);
    }
  }

private:
  // How many elements share a 32-bit register.
  unsigned perRegister(llvm::Type *element) {
    unsigned bits = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
    return std::max(1u, std::min(32 / std::min(bits, 32u), unsigned(op.getPack())));
  }
  llvm::Value *resize(llvm::Value *bits, llvm::Type *to) {
    unsigned width = to->getScalarSizeInBits();
    return lowering.fromBits(builder.CreateZExtOrTrunc(bits, builder.getIntNTy(width)), to);
  }

  void runGroup(llvm::ArrayRef<Values> operands, unsigned first, llvm::SmallVectorImpl<Values> &results) {
    Values arguments;
    llvm::SmallVector<llvm::Type *> types, resultTypes;
    for (const Values &operand : operands) {
      unsigned together = perRegister(operand[0]->getType());
      for (unsigned i = 0; i < op.getPack(); i += together) {
        Values part;
        for (unsigned j = 0; j < together; ++j) // a group past the end repeats the last element
          part.push_back(operand[std::min<size_t>(first + i + j, operand.size() - 1)]);
        if (arguments.size() >= inputs.size())
          return lowering.fail(op, "the inline assembly has fewer input constraints than its operands need");
        arguments.push_back(toRegister(part, lowering.instructions.registerType(inputs[arguments.size()])));
        types.push_back(arguments.back()->getType());
      }
    }
    for (llvm::StringRef output : outputs)
      resultTypes.push_back(lowering.instructions.registerType(output));
    llvm::Type *type = resultTypes.empty()       ? builder.getVoidTy()
                       : resultTypes.size() == 1 ? resultTypes[0]
                                                 : llvm::StructType::get(lowering.context, resultTypes);
    std::string constraints = op.getConstraints().str();
    llvm::erase(constraints, ' '); // LLVM knows none between them
    auto *form = llvm::FunctionType::get(type, types, false);
    if (llvm::Error error = llvm::InlineAsm::verify(form, constraints))
      return lowering.fail(op,
                           "the constraints of the inline assembly do not fit: " + llvm::toString(std::move(error)));
    auto *code = llvm::InlineAsm::get(form, op.getAssembly(), constraints, !op.getIsPure());
    llvm::CallInst *result = builder.CreateCall(code, arguments);
    if (Instructions::meetsOthers(op.getAssembly())) // where lanes part it is not written twice
      result->addFnAttr(llvm::Attribute::Convergent);
    unsigned next = 0;
    for (auto [i, value] : llvm::enumerate(op.getResults())) {
      llvm::Type *element = lowering.elementType(value.getType());
      unsigned together = perRegister(element);
      for (unsigned k = 0; k < op.getPack(); k += together) {
        if (next >= resultTypes.size())
          return lowering.fail(op, "the inline assembly has fewer output constraints than its results need");
        llvm::Value *word = resultTypes.size() == 1 ? result : builder.CreateExtractValue(result, next);
        ++next;
        fromRegister(word, element, together, results[i]);
      }
    }
  }

  llvm::Value *toRegister(llvm::ArrayRef<llvm::Value *> part, llvm::Type *type) {
    llvm::Value *bits = lowering.toBits(part[0]);
    if (part.size() > 1) {
      llvm::Value *vector = lowering.toBits(lowering.pack(part));
      bits = builder.CreateBitCast(vector, builder.getIntNTy(bits->getType()->getIntegerBitWidth() * part.size()));
    }
    return resize(bits, type);
  }

  void fromRegister(llvm::Value *word, llvm::Type *element, unsigned together, Values &into) {
    unsigned width = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
    llvm::Value *bits = builder.CreateZExtOrTrunc(lowering.toBits(word), builder.getIntNTy(width * together));
    if (together == 1) {
      into.push_back(lowering.fromBits(bits, element));
      return;
    }
    llvm::Value *vector = builder.CreateBitCast(bits, llvm::FixedVectorType::get(builder.getIntNTy(width), together));
    into.append(lowering.unpack(lowering.fromBits(vector, llvm::FixedVectorType::get(element, together))));
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::InlineAsmOp op;
  llvm::SmallVector<llvm::StringRef> outputs, inputs;
};

} // namespace

template <> void Lowering::lower(tile::InlineAsmOp op) {
  artifact.hasForeignCode = true;
  AsmCall(*this, op).run();
}

template <> void Lowering::lower(tile::MapOp op) {
  llvm::SmallVector<Values> sources, results(op.getNumResults());
  for (Value source : op.getSources())
    sources.push_back(unpack(get(source)));
  Block &body = op.getBody().front();
  unsigned count = sources.front().size(), pack = op.getPack();
  if (count % pack)
    return fail(op, "a function of " + std::to_string(pack) + " elements at once needs as many in each thread");
  for (unsigned first = 0; first < count; first += pack) {
    unsigned argument = 0;
    for (const Values &source : sources)
      for (unsigned i = 0; i < pack; ++i)
        set(body.getArgument(argument++), source[first + i]);
    lowerBlock(body);
    if (hasFailed())
      return;
    unsigned next = 0;
    for (Values &result : results)
      for (unsigned i = 0; i < pack; ++i)
        result.push_back(get(body.getTerminator()->getOperand(next++)));
  }
  for (auto [result, elements] : llvm::zip(op.getResults(), results))
    set(result, this->pack(elements));
}

template <> void Lowering::lower(tile::SpecialRegisterOp op) {
  set(op.getResult(),
      builder.CreateZExtOrTrunc(instructions.special(op.getName()), elementType(op.getResult().getType())));
}

void addInlineAsmOps(OpTable &table) { table.add<tile::InlineAsmOp, tile::MapOp, tile::SpecialRegisterOp>(); }

} // namespace nereid::gpu
