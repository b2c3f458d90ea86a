// Hyperbolic.cpp: hyperbolic functions and their inverses, from e^x - 1 and log(1 + x).
#include "codegen/math/Exp.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Log.h"
#include "codegen/math/Nvidia.h"

namespace nereid::codegen::terms {

// 1 - 2 / (e^(2|x|) + 1), but for small x, where that loses digits.
static Term tanhByInstructions(Term x) {
  Term magnitude = abs(x), square = x * x;
  Term series = polynomial(square, {-0.00590564171, 0.0208052061, -0.0537866354, 0.133319572, -0.333332986});
  Term small = fma(magnitude * square, series, magnitude);
  Term large = fma(roughReciprocal(roughPower(magnitude * 0x1.71547652b82fep1) + 1), -2, 1);
  return copySign(select(magnitude < 0.6, small, large), x);
}

// With t = e^(2|x|) - 1: tanh|x| = t / (t + 2). Beyond 9.1 it is 1.
Term fastTanh(Term x) {
  if (isNvidia(x))
    return tanhByInstructions(x);
  constexpr double kAnchor = 0x1.8p23 + 127, kTwoLog2E = 0x1.71547652b82fep1;
  Term limited = atMost(abs(x), 9.1);
  Term anchored = fma(limited, kTwoLog2E, kAnchor), n = anchored - kAnchor;
  Term rest = fma(n, -0x1.7f7d1cf79abcap-20, fma(n, -0x1.62e4p-1, limited + limited));
  Term series = polynomial(rest, {0.00138141727, 0.00836892147, 0.0416684076, 0.166665196, 0.49999994});
  Term power = asFloat(bits(anchored) << 23);
  Term t = fma(power, fma(rest * rest, series, rest), power - 1);
  return copySign(t / (t + 2), x);
}

namespace {

// e^x - 1 for 0 <= x <= 45.
Pair preciseExpm1(Term x) {
  Exponential parts = expParts({x, x.like(0)});
  Term power = scaleTwice(x.like(1), parts.n);
  Pair sum = exactSum(power - 1, parts.high * power);
  return quickSum(sum.high, fma(parts.low, power, sum.low));
}

Pair onePlus(Pair x, double one) { return Pair{x.high.like(one), x.high.like(0)} + x; }
Term sumOf(Pair x) { return x.high + x.low; }

// e^x / 2 for large x: the half does not overflow where e^x would.
Term halfExp(Term x) {
  Exponential parts = expParts({x, x.like(0)});
  return scaleTwice(1 + (parts.high + parts.low), parts.n - 1);
}

constexpr double kLarge = 40; // above it e^-x does not count beside e^x

// sqrt of a pair.
Pair root(Pair x) {
  Term high = sqrt(x.high);
  Pair square = exactProduct(high, high);
  Term low = (((x.high - square.high) - square.low) + x.low) / (high + high);
  return {high, select(high == 0, 0, low)};
}

} // namespace

Term sinh(Term x) {
  Term magnitude = abs(x);
  Pair t = preciseExpm1(atMost(magnitude, kLarge));
  Term small = sumOf(t + quotient(t, onePlus(t, 1))) * 0.5;
  return copySign(select(magnitude < 0x1p-28, magnitude, select(magnitude > kLarge, halfExp(magnitude), small)), x);
}

Term cosh(Term x) {
  Term magnitude = abs(x);
  Pair power = onePlus(preciseExpm1(atMost(magnitude, kLarge)), 1);
  Pair inverse = quotient(Pair{x.like(1), x.like(0)}, power);
  return select(magnitude > kLarge, halfExp(magnitude), sumOf(power + inverse) * 0.5);
}

// 1 - 2 / (e^(2|x|) + 1), but for small x, where that loses digits: one quotient, where GPUs wait long for each.
static Term tanhByOneQuotient(Term x) {
  Term magnitude = abs(x), square = x * x;
  Term series =
      polynomial(square, {-1.949468187951949e-05, 8.331643733373335e-05, -0.00023338155747203512, 0.0005884444827792131,
                          -0.0014555428448153312, 0.0035920920302707645, -0.008863232601422315, 0.021869488385854445,
                          -0.05396825396376055, 0.13333333333326622, -0.333333333333333});
  Term small = fma(magnitude * square, series, magnitude);
  Term large = 1 - moderateQuotient(x.like(2), exp(atMost(magnitude, 22) * 2) + 1);
  return copySign(select(magnitude < 0.55, small, large), x);
}

Term tanh(Term x) {
  if (isNvidia(x))
    return tanhByOneQuotient(x);
  Term magnitude = abs(x);
  Pair t = preciseExpm1(atMost(magnitude, 22) * 2);
  Term result = sumOf(quotient(t, onePlus(t, 2)));
  return copySign(select(magnitude < 0x1p-28, magnitude, result), x);
}

// log(x + sqrt(x² + 1)) = log1p(x + x² / (1 + sqrt(x² + 1)))
Term asinh(Term x) {
  Term magnitude = abs(x), isLarge = magnitude > 0x1p60, y = atMost(magnitude, 0x1p60);
  Pair square = exactProduct(y, y), denominator = onePlus(root(onePlus(square, 1)), 1);
  Pair argument = Pair{y, x.like(0)} + quotient(square, denominator);
  // Where 1 does not count beside x it is log(2x).
  Term zero = x.like(0);
  Pair chosen = {select(isLarge, magnitude, argument.high), select(isLarge, zero, argument.low)};
  Term result = logOnePlus(chosen, select(isLarge, 1, zero));
  return copySign(select((magnitude < 0x1p-28) | ~(magnitude < kInfinity), magnitude, result), x);
}

// With t = x - 1: log1p(t + sqrt(2t + t²)).
Term acosh(Term x) {
  Term isLarge = x > 0x1p60, y = atMost(x, 0x1p60), zero = x.like(0);
  Pair t = exactSum(y, x.like(-1)), square = t * t;
  Pair argument = t + root(Pair{t.high * 2, t.low * 2} + square);
  Pair chosen = {select(isLarge, x, argument.high), select(isLarge, zero, argument.low)};
  Term result = logOnePlus(chosen, select(isLarge, 1, zero));
  return select((x >= 1) & (x < kInfinity), result, select(x == kInfinity, x, x.like(kNaN)));
}

// log1p(2x / (1 - x)) / 2
Term atanh(Term x) {
  Term magnitude = abs(x);
  Pair argument = quotient(Pair{magnitude * 2, x.like(0)}, exactSum(x.like(1), -magnitude));
  Term result = logOnePlus(argument, x.like(0)) * 0.5;
  result = select(magnitude == 1, kInfinity, select(magnitude < 1, result, x.like(kNaN)));
  return copySign(select(magnitude < 0x1p-28, magnitude, result), x);
}

} // namespace nereid::codegen::terms
