// ConstantsLast.cpp: where a thread has several elements of a tile, their places differ by constants, which end up inside of
// an index when bits are put together. Outside of it LLVM makes them a part of the access, and one address serves all; from the
// inside it would form each of them in 64 bits.
//
//   before  %b = or disjoint i32 %thread, 512      after  %b = or disjoint i32 %block, %thread
//           %i = or disjoint i32 %block, %b               %i = or disjoint i32 %b, 512
#include "gpu/nvidia/ConstantsLast.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace nereid::gpu {

static Value *disjointOr(IRBuilder<> &builder, Value *left, Value *right) {
  return builder.CreateOr(left, right, "", /*IsDisjoint=*/true);
}

// The same number with its constant outside; nothing where there is none, or where it is outside already.
static Value *constantLast(Instruction &instruction) {
  Value *left = nullptr, *right = nullptr, *rest = nullptr;
  Constant *constant = nullptr;
  if (!match(&instruction, m_DisjointOr(m_Value(left), m_Value(right))) || isa<Constant>(right))
    return nullptr;
  auto hasConstant = m_DisjointOr(m_Value(rest), m_ImmConstant(constant));
  if (!match(right, hasConstant)) {
    if (!match(left, hasConstant))
      return nullptr;
    std::swap(left, right);
  }
  IRBuilder<> builder(&instruction);
  return disjointOr(builder, disjointOr(builder, left, rest), constant);
}

PreservedAnalyses ConstantsLastPass::run(Function &function, FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (Value *found = constantLast(instruction)) {
      instruction.replaceAllUsesWith(found);
      instruction.eraseFromParent();
      hasChanged = true;
    }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace nereid::gpu
