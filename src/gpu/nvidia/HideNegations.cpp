// HideNegations.cpp: ptxas (12.9, sm_90a) joins two minima or maxima of signed numbers into one instruction of three
// operands and forgets that the second of them was negated: min(min(a, -b), c) becomes min(a, b, c). A negation that a
// minimum or maximum reads is therefore written as ~b + 1, in assembly: LLVM would make it a negation again.
//
//   before  %n = sub i32 0, %b
//           %m = call i32 @llvm.smin.i32(i32 %a, i32 %n)
//   after   %n = call i32 asm "not.b32 …; add.s32 …;"(i32 %b)
#include "gpu/nvidia/HideNegations.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace nereid::gpu {

static Value *hiddenNegation(IRBuilder<> &builder, Value *value) {
  Type *type = value->getType();
  bool isNarrow = type->isIntegerTy(16);
  auto *form = FunctionType::get(type, {type}, false);
  InlineAsm *text = isNarrow ? InlineAsm::get(form, "not.b16 $0, $1;\n\tadd.s16 $0, $0, 1;", "=&h,h", false)
                             : InlineAsm::get(form, "not.b32 $0, $1;\n\tadd.s32 $0, $0, 1;", "=&r,r", false);
  return builder.CreateCall(text, {value});
}

PreservedAnalyses HideNegationsPass::run(Function &function, FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction : instructions(function)) {
    auto *extremum = dyn_cast<MinMaxIntrinsic>(&instruction);
    if (!extremum || !extremum->isSigned() ||
        !(extremum->getType()->isIntegerTy(16) || extremum->getType()->isIntegerTy(32)))
      continue;
    for (unsigned i = 0; i < 2; ++i) {
      Value *negated = nullptr;
      if (!PatternMatch::match(extremum->getArgOperand(i), PatternMatch::m_Neg(PatternMatch::m_Value(negated))))
        continue;
      IRBuilder<> builder(extremum);
      extremum->setArgOperand(i, hiddenNegation(builder, negated));
      hasChanged = true;
    }
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace nereid::gpu
