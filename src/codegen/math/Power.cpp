// Power.cpp: powers, roots and norms.
#include "codegen/math/Exp.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Log.h"
#include "codegen/math/Nvidia.h"

namespace nereid::codegen::terms {

namespace {

// Whether a number that is not negative is whole; all are from 2^52 on, or 2^23 in f32.
Term isWhole(Term x) {
  double all = x.isDouble() ? 0x1p52 : 0x1p23;
  return (x >= all) | ((x + all) - all == x);
}

// |x|^y given as e^power, with the sign and the exceptions of the C library.
Term finishPower(Term x, Term y, Term power) {
  Term base = abs(x), size = abs(y);
  Term isNegative = bits(x) < 0, isOdd = isWhole(size) & ~isWhole(size * 0.5);
  Term atZero = select(y < 0, kInfinity, y.like(0)), atInfinity = select(y < 0, 0, y.like(kInfinity));
  Term result = select(base == 0, atZero, select(base == kInfinity, atInfinity, power));
  uint64_t sign = uint64_t(1) << (x.isDouble() ? 63 : 31);
  result = asFloat(bits(result) | (bits(select(isNegative & isOdd, -1, x.like(1))) & sign));
  // A negative number has only whole powers; the infinite ones are even.
  result = select((x < 0) & (base < kInfinity) & ~isWhole(size), kNaN, result);
  result = select(isNaN(x) | isNaN(y), kNaN, result);
  return select((x == 1) | (y == 0), 1, result);
}

// Beyond this every power but those of 1 is 0 or infinity.
Term limitExponent(Term y) { return atLeast(atMost(y, 0x1p66), -0x1p66); }

} // namespace

Term pow(Term x, Term y) {
  Pair logarithm = preciseLog(abs(x)) * limitExponent(y);
  Term isMeasured = abs(logarithm.high) < 1000;
  return finishPower(x, y, exp(Pair{logarithm.high, select(isMeasured, logarithm.low, 0)}));
}

Term powSingle(Term x, Term y) { return finishPower(x, y, exp(log(abs(x)) * limitExponent(y))); }

// ---- f32: the logarithm as a pair, with an error of 2^-31 of it.

// log2 of x = 2^k (1 + f): with s = f / (2 + f) it is k + 2 log2(e) (s + s³/3 + s⁵/5 + …).
static Pair fastPairLog2(Term x) {
  Scaled split = splitExponent(x);
  Term f = split.mantissa - 1;
  Pair divisor = exactSum(x.like(2), f);
  Term inverse = isNvidia(x) ? roughReciprocal(divisor.high) : 1 / divisor.high, s = f * inverse;
  Pair back = exactProduct(s, divisor.high);
  Term rest = (((f - back.high) - back.low) - s * divisor.low) * inverse, z = s * s;
  Term series = polynomial(z, {0.118785334, 0.142661204, 0.200001588, 0.333333331}) * z;
  Pair sum = quickSum(s, fma(s, series, rest));
  Pair logarithm = sum * Pair{x.like(0x1.715476p1), x.like(0x1.4ae0bf8p-25)};
  Pair whole = exactSum(split.exponent, logarithm.high);
  return quickSum(whole.high, whole.low + logarithm.low);
}

Term fastPow(Term x, Term y) {
  constexpr double kAnchor = 0x1.8p23, kBiased = kAnchor + 127;
  Pair power = fastPairLog2(abs(x)) * atLeast(atMost(y, 0x1p40), -0x1p40);
  Term limited = atLeast(atMost(power.high, 252), -252), n = (limited + kAnchor) - kAnchor;
  Term rest = (limited - n) + select(abs(power.high) < 252, power.low, 0);
  Term root =
      polynomial(rest, {0.000154637915, 0.00133931873, 0.00961805069, 0.0555035267, 0.24022651, 0.693147189, 1});
  // 2^n in two steps: it may be outside of the numbers though the result is not.
  Term half = fma(n, 0.5, kBiased), other = (n - (half - kBiased)) + kBiased;
  return finishPower(x, y, root * asFloat(bits(half) << 23) * asFloat(bits(other) << 23));
}

// ---- Roots.

Term inverseSqrt(Term x) { return 1 / sqrt(x); }

// x = 2^(3k) v with v between 1/3 and 3. An approximation of v^(-1/3) is improved by Halley's method, without a
// division, and the root by one step of Newton's with the exact rest.
Term cbrt(Term x) {
  constexpr double kAnchor = 0x1.8p52;
  Term magnitude = abs(x);
  Scaled split = splitExponent(magnitude);
  Term k = fma(split.exponent, 1.0 / 3, kAnchor) - kAnchor, j = fma(k, -3, split.exponent);
  Term v = select(j == 0, split.mantissa, split.mantissa * select(j < 0, 0.5, x.like(2)));
  Term inverse = polynomial(split.mantissa, {0.12836944270340173, -0.702386737472724, 1.5613062310147239,
                                             -1.8618316134311992, 1.8745192627827998});
  inverse = inverse * select(j == 0, 1, select(j < 0, 0x1.428a2f98d728bp0, x.like(0x1.965fea53d6e3dp-1)));
  for (int step = 0; step < 2; ++step) {
    Term error = 1 - v * inverse * (inverse * inverse);
    inverse = fma(inverse * error, fma(error, 2.0 / 9, 1.0 / 3), inverse);
  }
  Term square = inverse * inverse, root = v * square;
  Pair cube = exactProduct(root, root) * root;
  root = fma((v - cube.high) - cube.low, square * (1.0 / 3), root);
  Term result = copySign(scaleTwice(root, k), x);
  return select((magnitude > 0) & (magnitude < kInfinity), result, x);
}

Term inverseCbrt(Term x) { return 1 / cbrt(x); }

// Numbers from f32 have room to spare in f64: the product is exact, and rounding to f32 the only one.
Term ldexpSingle(Term x, Term n) { return scaleTwice(x, atLeast(atMost(n, 400), -400)); }

// ---- Norms: scaled by a power of two where squares would overflow or vanish.

static Term normOf(llvm::ArrayRef<Term> terms) {
  Term first = terms[0], largest = abs(first), isInfinite = abs(first) == kInfinity;
  for (Term term : terms.drop_front()) {
    largest = select(abs(term) > largest, abs(term), largest);
    isInfinite = isInfinite | (abs(term) == kInfinity);
  }
  Term scale = select(largest > 0x1p500, 0x1p-600, select(largest < 0x1p-450, 0x1p600, first.like(1)));
  Pair sum = {first.like(0), first.like(0)};
  for (Term term : terms) {
    Term scaled = term * scale;
    sum = sum + exactProduct(scaled, scaled);
  }
  return select(isInfinite, kInfinity, sqrt(sum.high) / scale);
}

Term hypot(Term x, Term y) { return normOf({x, y}); }
Term inverseHypot(Term x, Term y) { return 1 / normOf({x, y}); }
Term norm3(Term x, Term y, Term z) { return normOf({x, y, z}); }
Term inverseNorm3(Term x, Term y, Term z) { return 1 / normOf({x, y, z}); }

} // namespace nereid::codegen::terms
