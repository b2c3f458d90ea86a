// ConstantsLast.cpp: where a thread has several elements of a tile, their places differ by constants, which end up inside of
// an index when bits are put together. Outside of it LLVM makes them a part of the access, and one address serves all; from the
// inside it would form each of them in 64 bits.
//
//   before  %b = or disjoint i32 %thread, 512      after  %b = or disjoint i32 %block, %thread
//           %i = or disjoint i32 %block, %b               %i = or disjoint i32 %b, 512
//
// So they do inside of differences, where rows and columns that are 8 apart make the same numbers (biases by distance, windows):
//
//   before  %d = sub i32 (add i32 %row, 8), (add i32 %column, 8)      after  %d = sub i32 %row, %column
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

// The number without its constant, and the constant.
static std::pair<Value *, APInt> withoutConstant(IRBuilder<> &builder, Value *value, unsigned depth = 4) {
  Value *left = nullptr, *right = nullptr;
  const APInt *constant = nullptr;
  APInt none(value->getType()->getIntegerBitWidth(), 0);
  if (depth == 0)
    return {value, none};
  if (match(value, m_AddLike(m_Value(left), m_APInt(constant)))) {
    auto [rest, more] = withoutConstant(builder, left, depth - 1);
    return {rest, more + *constant};
  }
  if (!match(value, m_AddLike(m_Value(left), m_Value(right))))
    return {value, none};
  auto [one, first] = withoutConstant(builder, left, depth - 1);
  auto [other, second] = withoutConstant(builder, right, depth - 1);
  if (one == left && other == right)
    return {value, none};
  return {builder.CreateAdd(one, other), first + second};
}

static Value *differenceOfRests(Instruction &instruction) {
  Value *left = nullptr, *right = nullptr;
  if (!match(&instruction, m_Sub(m_Value(left), m_Value(right))) || !instruction.getType()->isIntegerTy() ||
      isa<Constant>(left))
    return nullptr;
  IRBuilder<> builder(&instruction);
  auto [one, first] = withoutConstant(builder, left);
  auto [other, second] = withoutConstant(builder, right);
  if (one == left && other == right)
    return nullptr;
  return builder.CreateAdd(builder.CreateSub(one, other), builder.getInt(first - second));
}

PreservedAnalyses ConstantsLastPass::run(Function &function, FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (Value *found =
            instruction.getOpcode() == Instruction::Sub ? differenceOfRests(instruction) : constantLast(instruction)) {
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
