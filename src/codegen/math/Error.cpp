// Error.cpp: the error function and its complement.
//
// Around 0, erf(x) = x + x P(x²). Further out the complement decays like e^(-x²): f32 takes a polynomial for its
// logarithm, f64 one for e^(x²) erfc(x) (1 + 2x), which is nearly constant, in the variable (x - 4) / (x + 4).
#include "codegen/math/Exp.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Nvidia.h"

#include <limits>
#include <numbers>

namespace nereid::codegen::terms {

// 1 - 2^p(|x|) for |x| from 0.9 to 4, where it becomes 1. The power needs no care at the ends of the range.
static Term fastErfOutside(Term magnitude) {
  Term p = polynomial(atMost(magnitude, 4), {0.000286133203, -0.00442414731, 0.0322002731, -0.150217056, -0.918947875,
                                             -1.62707591, -0.000238125431});
  if (isNvidia(p))
    return 1 - roughPower(p);
  constexpr double kAnchor = 0x1.8p23;
  Term anchored = p + kAnchor, rest = p - (anchored - kAnchor);
  Term power = polynomial(rest, {0.00132645911, 0.00967161916, 0.0555073507, 0.240222409, 0.693147004, 1});
  return 1 - asFloat(bits(power) + (bits(anchored) << 23));
}

Term fastErf(Term x) {
  Term magnitude = abs(x), square = x * x;
  Term inside =
      polynomial(square, {-0.000609036011, 0.00501196273, -0.0267789084, 0.112821408, -0.376125246, 0.128379151});
  return select(magnitude > 0.9, copySign(fastErfOutside(magnitude), x), fma(inside, x, x));
}

namespace {

constexpr double kBorder = 0.84;

// erf(x) / x - 1 for |x| <= 1.
Term seriesOfErf(Term square) {
  return polynomial(square,
                    {-7.779468492733288e-10, 1.3710980400138e-08, -1.6206313758995742e-07, 1.6447131571349178e-06,
                     -1.4924712302016688e-05, 0.00012055293576901137, -0.0008548325929314519, 0.005223977606118474,
                     -0.02686617064311147, 0.11283791670944185, -0.3761263890318352, 0.12837916709551256});
}

// erfc(x) for x >= 0.84, to 28 and beyond, where it is 0.
Term erfcOutside(Term magnitude) {
  Term x = atMost(magnitude, 28), t = moderateQuotient(x - 4, x + 4);
  Term scaled =
      polynomial(t, {-2.167650311525942e-08, 8.252406664778602e-08,   8.799100932667209e-08,   -8.004932740715785e-07,
                     2.797268618973379e-07,  5.69676631816135e-06,    -1.1214312739900442e-05, -2.4395012992336474e-05,
                     0.0001506191759737506,  -0.00019925756683023568, -0.0007577727922736702,  0.0050319700932267486,
                     -0.016197734117507846,  0.03716751552817342,     -0.06633036580810062,    0.093732834998771,
                     -0.10103906603644833,   0.06809705425468375,     0.015379652102621695,    -0.13962111684056247,
                     1.2329951186255526});
  Pair square = exactProduct(x, x);
  Exponential power = expParts({-square.high, -square.low});
  Term divisor = fma(x, 2, 1), factor = isNvidia(x) ? scaled * moderateQuotient(x.like(1), divisor) : scaled / divisor;
  return scaleTwice(fma(factor, power.high + power.low, factor), power.n);
}

} // namespace

Term erf(Term x) {
  Term magnitude = abs(x);
  Term outside = copySign(1 - erfcOutside(magnitude), x);
  return select(magnitude > kBorder, outside, fma(seriesOfErf(x * x), x, x));
}

Term erfc(Term x) {
  Term magnitude = abs(x), outside = erfcOutside(magnitude);
  Pair difference = exactSum(x.like(1), -x);
  Term inside = difference.high + (difference.low - seriesOfErf(x * x) * x);
  return select(magnitude > kBorder, select(x > 0, outside, 2 - outside), inside);
}

// erfc(-x / sqrt(2)) / 2, as the interpreter has it.
Term normalCdf(Term x) { return erfc(-x / std::numbers::sqrt2) * 0.5; }

} // namespace nereid::codegen::terms
