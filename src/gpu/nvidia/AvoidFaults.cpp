// AvoidFaults.cpp: faults of ptxas 12.9 and 13.0 for sm_90a, each found by nereid-differ or an oracle and seen in machine
// code; HideNegations.h has one more, which shows when there is PTX. 13.4 has none of these.
//
// It compares the absolute value of a 16-bit integer as if it were never negative.
//
//   before  %m = call i16 @llvm.abs.i16(i16 %a, i1 false)
//   after   %m = trunc (abs (sext %a to i32)) to i16
//
// Where only one half of `add.s16x2 a, {1, 1}` is used, it adds 0 instead of the constant. Which half that is, it may
// find out later than we do: sums of 8-bit and 16-bit integers are never written in pairs.
//
//   before  %s = add <2 x i16> %a, splat (i16 1)
//   after   %s = {add i16 %a0, 1; add i16 %a1, 1}
//
// A constant in the left operand of a product of a warp group, which stmatrix or a wide store takes too, is missing in the register that these store
// (12.8 and 13.0): for the product it is a number that the assembler does not know.
//
//   before  call asm "wgmma.mma_async… {$32, $33, $34, $35}, …"(i32 %a, i32 0, …)
//   after   %zero = call i32 asm "mov.u32 $0, %smid; shr.u32 $0, $0, 24;"()
//           %b = xor i32 %zero, 0
//           call asm "wgmma.mma_async… {$32, $33, $34, $35}, …"(i32 %a, i32 %b, …)
#include "gpu/nvidia/AvoidFaults.h"

#include "codegen/Lanes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace nereid::gpu {

static bool isNarrow(Type *type) { return type->isIntOrIntVectorTy() && type->getScalarSizeInBits() <= 16; }

static void replace(Instruction &instruction, Value *result) {
  instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
}

static bool splitSum(Instruction &sum) {
  unsigned code = sum.getOpcode();
  if (!(code == Instruction::Add || code == Instruction::Sub) || !sum.getType()->isVectorTy() ||
      !isNarrow(sum.getType()))
    return false;
  IRBuilder<> builder(&sum);
  replace(sum, codegen::mapLanes(builder, {sum.getOperand(0), sum.getOperand(1)}, [&](codegen::Operands lane) {
            return builder.CreateBinOp(Instruction::BinaryOps(code), lane[0], lane[1]);
          }));
  return true;
}

static bool widenMagnitude(Instruction &instruction) {
  Value *operand = nullptr;
  Type *type = instruction.getType();
  if (!match(&instruction, m_Intrinsic<Intrinsic::abs>(m_Value(operand))) || !isNarrow(type))
    return false;
  IRBuilder<> builder(&instruction);
  Value *wide = builder.CreateSExt(operand, type->getWithNewBitWidth(32));
  replace(instruction,
          builder.CreateTrunc(builder.CreateBinaryIntrinsic(Intrinsic::abs, wide, builder.getTrue()), type));
  return true;
}

static Value *hiddenZero(Function &function) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  auto *form = FunctionType::get(builder.getInt32Ty(), false);
  return builder.CreateCall(InlineAsm::get(form, "mov.u32 $0, %smid;\n\tshr.u32 $0, $0, 24;", "=r", false));
}

static bool hideConstants(Function &function) {
  Value *zero = nullptr;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    if (!code || !code->getAsmString().starts_with("wgmma.mma_async"))
      continue;
    unsigned index = 0;
    for (const InlineAsm::ConstraintInfo &constraint : code->ParseConstraints()) {
      if (constraint.Type != InlineAsm::isInput)
        continue;
      auto *constant = dyn_cast<ConstantInt>(call->getArgOperand(index));
      if (constant && constraint.Codes[0] == "r") { // sums have the numbers of results
        zero = zero ? zero : hiddenZero(function);
        IRBuilder<> builder(call);
        call->setArgOperand(index, builder.Insert(BinaryOperator::CreateXor(zero, constant)));
      }
      ++index;
    }
  }
  return zero;
}

PreservedAnalyses AvoidFaultsPass::run(Function &function, FunctionAnalysisManager &) {
  bool hasChanged = hideConstants(function);
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    hasChanged |= splitSum(instruction);
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    hasChanged |= widenMagnitude(instruction);
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace nereid::gpu
