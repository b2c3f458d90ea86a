// Rounding.cpp: floats to whole numbers. Without SSE4.1 the intrinsics would become calls of the C library; there,
// adding and taking off a number whose last place is 1 rounds.
#include "codegen/math/Basic.h"

#include "llvm/IR/Intrinsics.h"

namespace nereid::codegen::terms {

namespace {

bool hasInstruction(Term x) { return x.code->target.hasRounding || !x.code->target.isX86; }

Term call(llvm::Intrinsic::ID function, Term x) {
  llvm::IRBuilderBase &builder = x.code->builder;
  llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
  builder.clearFastMathFlags();
  return x.with(builder.CreateUnaryIntrinsic(function, x.value));
}

// The magnitude, to the nearest whole number; from `anchor` on, and for NaN, it is what it is.
Term nearestMagnitude(Term magnitude) {
  double anchor = magnitude.isDouble() ? 0x1p52 : 0x1p23;
  return select(magnitude < anchor, (magnitude + anchor) - anchor, magnitude);
}

Term truncatedMagnitude(Term magnitude) {
  Term nearest = nearestMagnitude(magnitude);
  return select(nearest > magnitude, nearest - 1, nearest);
}

} // namespace

Term roundEven(Term x) {
  if (hasInstruction(x))
    return call(llvm::Intrinsic::roundeven, x);
  return copySign(nearestMagnitude(abs(x)), x);
}

Term trunc(Term x) {
  if (hasInstruction(x))
    return call(llvm::Intrinsic::trunc, x);
  return copySign(truncatedMagnitude(abs(x)), x);
}

Term floor(Term x) {
  if (hasInstruction(x))
    return call(llvm::Intrinsic::floor, x);
  Term nearest = copySign(nearestMagnitude(abs(x)), x);
  return select(nearest > x, nearest - 1, nearest);
}

Term ceil(Term x) {
  if (hasInstruction(x))
    return call(llvm::Intrinsic::ceil, x);
  Term nearest = copySign(nearestMagnitude(abs(x)), x);
  return copySign(select(nearest < x, nearest + 1, nearest), x);
}

Term round(Term x) {
  Term whole = trunc(abs(x)), rest = abs(x) - whole;
  return copySign(select(rest >= 0.5, whole + 1, whole), x);
}

} // namespace nereid::codegen::terms
