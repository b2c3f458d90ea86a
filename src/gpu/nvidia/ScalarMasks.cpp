// ScalarMasks.cpp: logic on vectors of truth values, element by element. LLVM's scalarizer keeps what fits into 32 bits
// together (pairs of 16-bit floats should stay pairs), which would be 32 predicates here: the code generator packs them
// into bytes and takes them out again.
#include "gpu/nvidia/ScalarMasks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace nereid::gpu {

namespace {

class MaskSplitter {
public:
  explicit MaskSplitter(Function &function) : function(function) {}

  bool run() {
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
      for (Instruction &instruction : make_early_inc_range(*block))
        visit(instruction);
    // Users come after what they use, so the last ones go first.
    for (Instruction *old : reverse(replaced))
      if (old->use_empty())
        old->eraseFromParent();
    return !replaced.empty();
  }

private:
  using Elements = SmallVector<Value *, 32>;

  static bool isMask(Value *value) {
    auto *type = dyn_cast<FixedVectorType>(value->getType());
    return type && type->getElementType()->isIntegerTy(1);
  }

  void visit(Instruction &instruction) {
    if (auto *extract = dyn_cast<ExtractElementInst>(&instruction)) {
      auto *index = dyn_cast<ConstantInt>(extract->getIndexOperand());
      auto known = elements.find(extract->getVectorOperand());
      if (!index || known == elements.end() || index->getZExtValue() >= known->second.size())
        return;
      extract->replaceAllUsesWith(known->second[index->getZExtValue()]);
      replaced.push_back(extract);
      return;
    }
    if (!isMask(&instruction))
      return;
    IRBuilder<> builder(&instruction);
    Elements parts;
    if (isa<BinaryOperator>(instruction))
      parts = both(builder, cast<BinaryOperator>(instruction));
    else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
      parts = shuffled(builder, *shuffle);
    else if (auto *compare = dyn_cast<CmpInst>(&instruction))
      parts = compared(builder, *compare);
    else
      return;
    join(builder, instruction, parts);
  }

  // One element of any vector, as the code before `builder` has it.
  Value *element(IRBuilder<> &builder, Value *vector, unsigned index) {
    auto known = elements.find(vector);
    return known != elements.end() ? known->second[index] : builder.CreateExtractElement(vector, uint64_t(index));
  }

  Elements both(IRBuilder<> &builder, BinaryOperator &op) {
    Elements parts;
    for (unsigned i = 0; i < countOf(op); ++i)
      parts.push_back(builder.CreateBinOp(op.getOpcode(), element(builder, op.getOperand(0), i),
                                          element(builder, op.getOperand(1), i)));
    return parts;
  }

  Elements compared(IRBuilder<> &builder, CmpInst &op) {
    Elements parts;
    for (unsigned i = 0; i < countOf(op); ++i) {
      Value *part = builder.CreateCmp(op.getPredicate(), element(builder, op.getOperand(0), i),
                                      element(builder, op.getOperand(1), i));
      if (auto *made = dyn_cast<Instruction>(part))
        made->copyIRFlags(&op);
      parts.push_back(part);
    }
    return parts;
  }

  Elements shuffled(IRBuilder<> &builder, ShuffleVectorInst &op) {
    unsigned width = cast<FixedVectorType>(op.getOperand(0)->getType())->getNumElements();
    Elements parts;
    for (int lane : op.getShuffleMask()) {
      if (lane < 0)
        parts.push_back(PoisonValue::get(builder.getInt1Ty()));
      else
        parts.push_back(element(builder, op.getOperand(unsigned(lane) >= width), unsigned(lane) % width));
    }
    return parts;
  }

  static unsigned countOf(const Instruction &instruction) {
    return cast<FixedVectorType>(instruction.getType())->getNumElements();
  }

  // Users that are not taken apart get a vector again.
  void join(IRBuilder<> &builder, Instruction &old, Elements &parts) {
    Value *vector = PoisonValue::get(old.getType());
    for (auto [i, part] : enumerate(parts))
      vector = builder.CreateInsertElement(vector, part, uint64_t(i));
    elements[vector] = parts;
    old.replaceAllUsesWith(vector);
    replaced.push_back(&old);
  }

  Function &function;
  DenseMap<Value *, Elements> elements;
  SmallVector<Instruction *> replaced;
};

} // namespace

PreservedAnalyses ScalarMasksPass::run(Function &function, FunctionAnalysisManager &) {
  if (!MaskSplitter(function).run())
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace nereid::gpu
