// SplitSums.cpp: where only one half of `add.s16x2 a, {1, 1}` is used, ptxas (12.9 and 13.0, sm_90a; 13.4 does not) adds 0
// instead of the constant. Which half that is, it may find out later than we do: sums of 8-bit and 16-bit integers are
// therefore never written in pairs.
//
//   before  %s = add <2 x i16> %a, splat (i16 1)
//   after   %s = {add i16 %a0, 1; add i16 %a1, 1}
#include "gpu/nvidia/SplitSums.h"

#include "codegen/Lanes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace nereid::gpu {

static bool isPairedSum(const Instruction &instruction) {
  unsigned code = instruction.getOpcode();
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  return type && (code == Instruction::Add || code == Instruction::Sub) && type->getElementType()->isIntegerTy() &&
         type->getScalarSizeInBits() <= 16;
}

PreservedAnalyses SplitSumsPass::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<Instruction *> sums;
  for (Instruction &instruction : instructions(function))
    if (isPairedSum(instruction))
      sums.push_back(&instruction);
  for (Instruction *sum : sums) {
    IRBuilder<> builder(sum);
    Value *result = codegen::mapLanes(builder, {sum->getOperand(0), sum->getOperand(1)}, [&](codegen::Operands lane) {
      return builder.CreateBinOp(Instruction::BinaryOps(sum->getOpcode()), lane[0], lane[1]);
    });
    sum->replaceAllUsesWith(result);
    sum->eraseFromParent();
  }
  if (sums.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace nereid::gpu
