// Log.cpp: logarithms to the bases e, 2 and 10.
//
// x = 2^k (1 + f) with 1 + f around 1. In f32, log(1 + f) is a polynomial in f. In f64, with s = f / (2 + f), it is
// 2 atanh(s) = 2s + s³R(s²), written as f - (f²/2 - s (f²/2 + s²R)) so that the quotient's rounding stays small.
#include "codegen/math/Log.h"
#include "codegen/math/Avx512.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Nvidia.h"

namespace nereid::codegen::terms {

namespace {

// What the formulas do not see: -infinity at 0, NaN below, infinity at infinity, NaN at NaN.
Term withLogSpecials(Term x, Term result) {
  if (!x.isDouble()) {
    // One comparison finds infinity, NaN and what is below 0: as bits they are the largest.
    Term isLarge = (bits(x) >> 23) >= 255;
    return select(x == 0, -kInfinity, select(isLarge, fma(x, x.like(kInfinity), x.like(kInfinity)), result));
  }
  Term special = select(x == 0, -kInfinity, select(x > 0, kInfinity, x.like(kNaN)));
  return select((x > 0) & (x < kInfinity), result, special);
}

// ---- f32.

// The logarithm to a base is `scale` times the natural one. Both constants come in two parts, the first short enough
// for exact products with an exponent.
struct LogBase {
  double scale, scaleHigh, scaleLow;
  double unitHigh, unitLow; // log of 2 to this base
};
constexpr LogBase kNatural = {1, 1, 0, 0x1.62e4p-1, 0x1.7f7d1cf79abcap-20};
constexpr LogBase kBinary = {0x1.71547652b82fep0, 0x1.714p0, 0x1.47652b82fe177p-12, 1, 0};
constexpr LogBase kDecimal = {0x1.bcb7b1526e50ep-2, 0x1.bccp-2, -0x1.09d5b235e39abp-15, 0x1.344p-2,
                              0x1.3509f79fef312p-18};

// (log(1 + f) - f) / f² for f in [-0.25, 0.5), scaled.
Term fastSeries(Term f, double scale) {
  constexpr double kTerms[] = {-0.0449096821, 0.104483403,  -0.131622344, 0.144820601, -0.166477665,
                               0.199906066,   -0.250000536, 0.333334535,  -0.5};
  Term sum = f.like(kTerms[0] * scale);
  for (double term : llvm::ArrayRef<double>(kTerms).drop_front())
    sum = fma(sum, f, term * scale);
  return sum;
}

Term fastLogOf(Term f, Term exponent, const LogBase &base) {
  Term low = f * f * fastSeries(f, base.scale), high = f;
  if (base.unitLow != 0)
    low = fma(exponent, base.unitLow, low);
  if (base.scaleLow == 0) {
    high = high + low;
  } else if (hasFma(f)) {
    high = fma(f, base.scaleHigh, fma(f, base.scaleLow, low));
  } else { // the upper half of f has an exact product
    Term upper = asFloat(bits(f) & ~uint64_t(0xfff));
    high = upper * base.scaleHigh + ((f - upper) * base.scaleHigh + (f * base.scaleLow + low));
  }
  return fma(exponent, base.unitHigh, high);
}

Term fastLogarithm(Term x, const LogBase &base) {
  if (hasExponentInstructions(x)) {
    Term mantissa = mantissaOf(x); // its exponent is 0 or -1
    return fastLogOf(mantissa - 1, exponentOf(x) - exponentOf(mantissa), base);
  }
  Scaled parts = splitExponent(x);
  return withLogSpecials(x, fastLogOf(parts.mantissa - 1, parts.exponent, base));
}

// f = x 2^-k + (2^-k - 1), both exact, where 2^k is the exponent of 1 + x. For large k 2^-k is no number but 4 · 2^-k is.
Term fastLogOfOnePlus(Term x) {
  constexpr uint64_t kLeast = 0x3f400000, kFour = 0x40800000, kExponent = 0xff800000; // 0.75, 4
  Term shift = (bits(x + 1) - bits(x).like(kLeast)) & kExponent;
  Term scaled = asFloat(bits(x) - shift), one = asFloat(bits(x).like(kFour) - shift);
  return fastLogOf(scaled + fma(one, 0.25, -1), toFloat(shiftRightSigned(shift, 23)), kNatural);
}

// ---- f64.

// 2 atanh(s) = 2s + s · seriesOfLog(s²).
Term seriesOfLog(Term z) {
  return z * polynomial(z, {0.1479750775423621, 0.15313903243166313, 0.18183569739890945, 0.22222198475985974,
                            0.28571428743262667, 0.3999999999941109, 0.6666666666666735});
}

// log(1 + f), as f - f²/2 and what is left.
struct LogParts {
  Term f, halfSquare, rest;
};
LogParts logParts(Term mantissa) {
  Term f = mantissa - 1, s = moderateQuotient(f, 2 + f), halfSquare = f * f * 0.5;
  return {f, halfSquare, s * (halfSquare + seriesOfLog(s * s))};
}

// scale · log(1 + f) + exponent · unit, all constants in two parts.
Term scaledLog(Term x, Pair scale, Pair unit) {
  Scaled split = splitExponent(x);
  LogParts parts = logParts(split.mantissa);
  // The leading part keeps half of its bits: its products with a constant of 27 bits are then exact.
  Term high = asFloat(bits(parts.f - parts.halfSquare) & ~uint64_t(0xffffffff));
  Term low = ((parts.f - high) - parts.halfSquare) + parts.rest;
  Pair sum = exactSum(split.exponent * unit.high, high * scale.high);
  Term tail = fma(low, scale.high, fma(low + high, scale.low, fma(split.exponent, unit.low, sum.low)));
  return withLogSpecials(x, sum.high + tail);
}

} // namespace

// Subnormal numbers are first made normal ones. The exponent stays where it is, and is a number of 2^23 units.
static Scaled splitFloat(Term x) {
  Term isSmall = x < 0x1p-126;
  Term normal = bits(select(isSmall, x * 0x1p24, x));
  Term shift = (normal - 0x3f400000) & uint64_t(0xff800000);
  return {asFloat(normal - shift), fma(toFloat(shift), 0x1p-23, select(isSmall, -24, x.like(0)))};
}

Scaled splitExponent(Term x) {
  if (!x.isDouble())
    return splitFloat(x);
  constexpr uint64_t kOne = 0x3ff0000000000000, kRoot = 0x3fe6a09e667f3bcd, kMantissa = (uint64_t(1) << 52) - 1;
  // Subnormal numbers are first made normal ones.
  Term isSmall = x < 0x1p-1022;
  Term normal = bits(select(isSmall, x * 0x1p54, x)) + (kOne - kRoot);
  // A small integer below the last place of 2^52, to take it off as a float: conversions of 64 bits are rare.
  constexpr double kOffset = 0x1p52 + 1023;
  Term biased = asFloat((normal >> 52) | 0x4330000000000000);
  return {asFloat((normal & kMantissa) + kRoot), biased - select(isSmall, kOffset + 54, biased.like(kOffset))};
}

Term log(Term x) {
  Scaled split = splitExponent(x);
  LogParts parts = logParts(split.mantissa);
  Term low = parts.halfSquare - fma(split.exponent, kLn2Low, parts.rest);
  return withLogSpecials(x, fma(split.exponent, kLn2High, parts.f - low));
}

Term log2(Term x) {
  return scaledLog(x, {x.like(0x1.7154765p0), x.like(0x1.5c17f0bbbe88p-31)}, {x.like(1), x.like(0)});
}

Term log10(Term x) {
  return scaledLog(x, {x.like(0x1.bcb7b14p-2), x.like(0x1.26e50e32a6ab7p-30)},
                   {x.like(0x1.34413508p-2), x.like(0x1.f79fef311f12bp-34)});
}

Term logOnePlus(Pair x, Term units) {
  Pair sum = exactSum(x.high.like(1), x.high);
  Scaled split = splitExponent(sum.high);
  LogParts parts = logParts(split.mantissa);
  Term exponent = split.exponent + units, correction = moderateQuotient(sum.low + x.low, sum.high);
  Term low = parts.halfSquare - (fma(exponent, kLn2Low, correction) + parts.rest);
  return fma(exponent, kLn2High, parts.f - low);
}

// -infinity at -1, NaN below, x where it is infinite or so small that it is the result.
static Term withSpecialsOfOnePlus(Term x, Term result, double small) {
  result = select((x > -1) & (x < kInfinity), result, select(x == -1, -kInfinity, select(x > 0, x, x.like(kNaN))));
  return select(abs(x) < small, x, result);
}

Term log1p(Term x) { return withSpecialsOfOnePlus(x, logOnePlus({x, x.like(0)}, x.like(0)), 0x1p-54); }
Term fastLog1p(Term x) { return withSpecialsOfOnePlus(x, fastLogOfOnePlus(x), 0x1p-30); }

Pair preciseLog(Term x) {
  Scaled split = splitExponent(x);
  // s = f / (2 + f) and its powers in pairs; from the fifth power on, one float is enough.
  Pair s = quotient(Pair{split.mantissa - 1, x.like(0)}, exactSum(x.like(1), split.mantissa));
  Pair square = s * s;
  Term z = square.high;
  Term series = polynomial(z, {0.1199043395028214, 0.11674648148014888, 0.13336325800044393, 0.15384556653432258,
                               0.1818181887350001, 0.2222222221751053, 0.2857142857144522, 0.3999999999999998});
  Pair third = Pair{x.like(2.0 / 3), x.like(0x1.5555555555555p-55)} + exactProduct(z, series);
  Pair cube = (s * square) * third;
  Pair log = Pair{s.high * 2, s.low * 2} + cube;
  Pair unit = exactSum(split.exponent * kLn2High, split.exponent * kLn2Low);
  return unit + log;
}

Term fastLog(Term x) { return fastLogarithm(x, kNatural); }
Term fastLog2(Term x) { return fastLogarithm(x, kBinary); }
Term fastLog10(Term x) { return fastLogarithm(x, kDecimal); }

} // namespace nereid::codegen::terms
