// Exp.cpp: powers of e, 2 and 10.
//
// x is split into n units of log(2) and a rest, whose exponential is a polynomial; 2^n is made of bits. n comes from an
// addition: a number so large that its last place is 1 leaves the rounded sum in its lower bits, from where a shift
// moves it, bias included, to the place of the exponent.
//
// The polynomials here and in the other files are minimax ones, found with minimax.py.
#include "codegen/math/Exp.h"
#include "codegen/math/Avx512.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Nvidia.h"

#include <cmath>

namespace nereid::codegen::terms {

namespace {

constexpr double kAnchor32 = 0x1.8p23, kAnchor64 = 0x1.8p52;

// ---- f32.

struct Base {
  double logTwo;      // log2 of the base
  double high, low;   // 1 / logTwo; the high part is short, so that its products with n are exact
  double logE;        // natural logarithm of the base
  double least, most; // below the first the result is 0, above the second infinity
};

constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn10 = 0x1.26bb1bbb55516p1, kLog2Of10 = 0x1.a934f0979a371p1;
constexpr Base kBaseE = {1 / kLn2, 0x1.62e4p-1, 0x1.7f7d1cf79abcap-20, 1, -104.5, 89};
constexpr Base kBaseTwo = {1, 1, 0, kLn2, -151, 129};
constexpr Base kBaseTen = {kLog2Of10, 0x1.344p-2, 0x1.3509f79fef312p-18, kLn10, -45.5, 39};

// e^rest for |rest| <= log(2)/2, or log(2) with one term more; for other bases the coefficients are scaled.
Term powerOfRest(Term rest, double logE, bool isWide) {
  constexpr double kNarrow[] = {0.00138141727, 0.00836892147, 0.0416684076, 0.166665196, 0.49999994, 1};
  constexpr double kWide[] = {0.000196103254, 0.00141055055, 0.00833613146, 0.0416612178, 0.166666135, 0.500000358, 1};
  llvm::ArrayRef<double> terms = isWide ? llvm::ArrayRef<double>(kWide) : kNarrow;
  Term sum = rest.like(terms[0] * std::pow(logE, double(terms.size())));
  for (size_t i = 1; i < terms.size(); ++i)
    sum = fma(sum, rest, terms[i] * std::pow(logE, double(terms.size() - i)));
  return fma(sum, rest, 1);
}

Term restOf(Term x, Term n, const Base &base, double unit) {
  Term rest = base.high == 1 ? x - n * unit : fma(n, -base.high * unit, x);
  return base.low == 0 ? rest : fma(n, -base.low * unit, rest);
}

// Where x is huge or NaN the rest means nothing; limiting it is enough, for the last instruction looks at n too.
Term fastPowerAvx512(Term x, const Base &base) {
  Term n = (base.logTwo == 1 ? x + kAnchor32 : fma(x, base.logTwo, kAnchor32)) - kAnchor32;
  Term rest = limitMagnitude(restOf(x, n, base, 1), 0.51 / base.logTwo);
  return scaleByPower(powerOfRest(rest, base.logE, false), n);
}

// NVIDIA GPUs have an instruction for 2^rest; n is within ±126, and what lies beyond is left to the rest.
Term fastPowerNvidia(Term x, const Base &base) {
  constexpr double kSpan = 252;
  Term anchored = fma(saturatedFma(x, base.logTwo / kSpan, 0.5), kSpan, kAnchor32 + 1);
  double high = float(base.logTwo), low = base.logTwo - high;
  Term rest = fma(x, high, (kAnchor32 + 127) - anchored);
  return roughPower(low == 0 ? rest : fma(x, low, rest)) * asFloat(bits(anchored) << 23);
}

// 2^n may be outside of the normal numbers though the result is not, or the other way round: n counts in units of two,
// and half of it is applied twice.
Term fastPower(Term x, const Base &base) {
  if (isNvidia(x))
    return fastPowerNvidia(x, base);
  if (hasExponentInstructions(x))
    return fastPowerAvx512(x, base);
  Term limited = atLeast(atMost(x, base.most), base.least);
  Term anchored = fma(limited, base.logTwo / 2, kAnchor32 + 127);
  Term rest = restOf(limited, anchored - (kAnchor32 + 127), base, 2);
  Term root = asFloat(bits(anchored) << 23);
  return powerOfRest(rest, base.logE, true) * root * root;
}

// Half of e^x - 1, so that 2^n stays a number: 2^(n-1) (e^rest - 1) + 2^(n-1) - 1/2.
Term halfOfExpm1(Term x) {
  constexpr double kAnchor = kAnchor32 + 126;
  Term limited = atLeast(atMost(x, kBaseE.most), -18);
  Term anchored = fma(limited, kBaseE.logTwo, kAnchor);
  Term rest = restOf(limited, anchored - kAnchor, kBaseE, 1), half = asFloat(bits(anchored) << 23);
  Term series = polynomial(rest, {0.00138141727, 0.00836892147, 0.0416684076, 0.166665196, 0.49999994});
  return fma(half, fma(rest * rest, series, rest), half - 0.5);
}

// ---- f64.

constexpr double kLog10Of2High = 0x1.34413508p-2, kLog10Of2Low = 0x1.f79fef311f12bp-34;

// The nearest whole number; |x| < 2^51.
Term nearest(Term x) { return (x + kAnchor64) - kAnchor64; }

// (e^r - 1 - r) / r² for |r| <= log(2)/2.
Term restOfSeries(Term r) {
  return polynomial(r, {2.499996184745198e-08, 2.7630378651527664e-07, 2.755758735323817e-06, 2.4801492762717388e-05,
                        0.0001984126950475296, 0.00138888889439227, 0.00833333333349563, 0.04166666666652919,
                        0.1666666666666641, 0.5000000000000011});
}

} // namespace

Term scaleTwice(Term x, Term n) {
  Term half = nearest(n * 0.5);
  auto power = [](Term exponent) { return asFloat(bits(exponent + (kAnchor64 + 1023)) << 52); };
  return x * power(half) * power(n - half);
}

Exponential expParts(Pair x) {
  Term high = atLeast(atMost(x.high, 1000), -1000), n = nearest(high * (1 / kLn2));
  Pair rest = exactSum(fma(n, -kLn2High, high), n * -kLn2Low);
  rest = quickSum(rest.high, rest.low + x.low);
  Term r = rest.high;
  return {r, fma(r * r, restOfSeries(r), fma(rest.low, r, rest.low)), n};
}

Term exp(Pair x) {
  Exponential parts = expParts(x);
  return scaleTwice(1 + (parts.high + parts.low), parts.n);
}

Term exp(Term x) { return exp(Pair{x, x.like(0)}); }

Term exp2(Term x) {
  Term limited = atLeast(atMost(x, 1100), -1100), n = nearest(limited), r = limited - n;
  Term slope =
      polynomial(r, {4.4347281474267016e-10, 7.073858589056926e-09, 1.0178200482546776e-07, 1.321543487057823e-06,
                     1.525273348938143e-05, 0.00015403530457877183, 0.001333355814678019, 0.009618129107593569,
                     0.05550410866482005, 0.24022650695910133, 0.6931471805599453});
  return scaleTwice(fma(slope, r, 1), n);
}

Term exp10(Term x) {
  Term limited = atLeast(atMost(x, 350), -350), n = nearest(limited * kLog2Of10);
  Pair rest = exactSum(fma(n, -kLog10Of2High, limited), n * -kLog10Of2Low);
  constexpr double kLn10Low = -0x1.f48ad494ea3e9p-53;
  Pair scaled = exactProduct(rest.high, x.like(kLn10));
  Term low = fma(rest.high, kLn10Low, fma(rest.low, kLn10, scaled.low)), r = scaled.high;
  return scaleTwice(1 + (r + fma(r * r, restOfSeries(r), low)), n);
}

// 2^n (e^r - 1) + 2^n - 1 = 2^n ((e^r - 1) + (1 - 2^-n)); for n = 0 nothing is added.
Term expm1(Term x) {
  Exponential parts = expParts({atLeast(x, -60), x.like(0)});
  Term n = parts.n, power = asFloat(bits((kAnchor64 + 1023) - atMost(n, 1000)) << 52);
  Pair sum = exactSum(1 - power, parts.high);
  Term result = scaleTwice(sum.high + (sum.low + parts.low), n);
  // -0 stays, and so does what is below the last place.
  return select(abs(x) < 0x1p-54, x, result);
}

Term fastExp(Term x) { return fastPower(x, kBaseE); }
Term fastExp2(Term x) { return fastPower(x, kBaseTwo); }
Term fastExpm1(Term x) { return select(abs(x) < 0x1p-30, x, halfOfExpm1(x) * 2); }
Term fastExp10(Term x) { return fastPower(x, kBaseTen); }

} // namespace nereid::codegen::terms
