// Basic.cpp: comparisons, classes and neighbours of floats.
#include "codegen/math/Basic.h"
#include "codegen/math/Pair.h"

namespace nereid::codegen::terms {

namespace {

// Equal numbers differ at most in the sign of zero, which an operation on the bits settles.
Term larger(Term a, Term b) { return select(a == b, asFloat(bits(a) & bits(b)), select(a > b, a, b)); }
Term smaller(Term a, Term b) { return select(a == b, asFloat(bits(a) | bits(b)), select(a < b, a, b)); }

} // namespace

// NaN in b makes every comparison false, so that `larger` gives b: then a is taken; with NaN in a it gives b already.
Term maxNumber(Term a, Term b) { return select(isNaN(b), a, larger(a, b)); }
Term minNumber(Term a, Term b) { return select(isNaN(b), a, smaller(a, b)); }
Term maximum(Term a, Term b) { return select(isNaN(a), a, larger(a, b)); }
Term minimum(Term a, Term b) { return select(isNaN(a), a, smaller(a, b)); }

Term clamp(Term x, Term low, Term high) { return minNumber(maxNumber(x, low), high); }

Term positiveDifference(Term a, Term b) {
  Term difference = a - b;
  return select(a <= b, 0, difference);
}

Term saturate(Term x) { return select(x > 0, select(x < 1, x, 1), 0.0); }

Term isInfinite(Term x) { return abs(x) == kInfinity; }
Term isFinite(Term x) { return abs(x) < kInfinity; }
Term isNormal(Term x) { return isFinite(x) & (abs(x) >= (x.isDouble() ? 0x1p-1022 : 0x1p-126)); }
Term signBit(Term x) { return bits(x) < 0; }

// Patterns of one sign are ordered as their numbers are.
Term nextAfter(Term x, Term toward) {
  Term source = bits(x), isUp = toward > x;
  Term isAway = signBit(x) ^ isUp; // from zero
  Term stepped = source + select(isAway, 1, source.like(-1));
  // From zero, the smallest number with the sign of the direction.
  Term sign = bits(toward) & (uint64_t(1) << (x.elementBits() - 1));
  stepped = select(x == 0, sign | 1, stepped);
  Term result = select(x == toward, toward, asFloat(stepped));
  return select(isNaN(x) | isNaN(toward), kNaN, result);
}

Term exponent(Term x) {
  bool isDouble = x.isDouble();
  unsigned place = isDouble ? 52 : 23;
  Term magnitude = abs(x), isSmall = magnitude < (isDouble ? 0x1p-1022 : 0x1p-126);
  Term normal = bits(select(isSmall, magnitude * (isDouble ? 0x1p54 : 0x1p24), magnitude));
  Term biased = isDouble ? asFloat((normal >> place) | 0x4330000000000000) - 0x1p52 : toFloat(normal >> place);
  double bias = isDouble ? 1023 : 127;
  Term result = biased - select(isSmall, bias + (isDouble ? 54 : 24), x.like(bias));
  return select(x == 0, -kInfinity, select(isFinite(x), result, magnitude));
}

// The product of two f32 is exact in f64. Their sum with c is rounded to odd, so that rounding it to f32 is the only
// rounding that shows: where something was lost, the last bit is set, after a step back if rounding went away from
// zero.
static Term fuseThroughDouble(Term a, Term b, Term c) {
  Term product = toDouble(a) * toDouble(b);
  Pair sum = exactSum(product, toDouble(c));
  Term pattern = bits(sum.high), isOdd = (pattern & 1) != 0;
  Term wentAway = (sum.low > 0) ^ (sum.high > 0);
  Term odd = select(isOdd, pattern, select(wentAway, pattern - 1, pattern | 1));
  Term isInexact = (sum.low != 0) & isFinite(sum.high);
  return toSingle(select(isInexact, asFloat(odd), sum.high));
}

Term fusedMultiplyAdd(Term a, Term b, Term c) {
  if (hasFma(a))
    return fma(a, b, c);
  return a.isDouble() ? a.with(nullptr) : fuseThroughDouble(a, b, c);
}

} // namespace nereid::codegen::terms
