// InverseTrigonometric.cpp: arc tangent, arc sine and arc cosine.
#include "codegen/math/Functions.h"
#include "codegen/math/Pair.h"

namespace nereid::codegen::terms {

namespace {

constexpr double kHalfPi = 0x1.921fb54442d18p0, kHalfPiLow = 0x1.1a62633145c07p-54;

// Near an anchor c, atan(a) = atan(c) + atan((a - c) / (1 + a c)), and the last argument is at most 7/16.
struct Anchor {
  double from; // used above this
  double at;
  double angle, angleLow;
};
constexpr Anchor kAnchors[] = {
    {7.0 / 16, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {11.0 / 16, 1, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    {19.0 / 16, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56},
};
constexpr double kFar = 39.0 / 16; // above it atan(a) = pi/2 - atan(1/a)

// For a >= 0; NaN stays.
Pair atanOfMagnitude(Term a) {
  Term above = a, below = a.like(1), angle = a.like(0), angleLow = a.like(0);
  for (const Anchor &anchor : kAnchors) {
    Term isHere = a >= anchor.from;
    above = select(isHere, a - anchor.at, above);
    below = select(isHere, fma(a, anchor.at, 1), below);
    angle = select(isHere, anchor.angle, angle);
    angleLow = select(isHere, anchor.angleLow, angleLow);
  }
  Term isFar = a >= kFar;
  above = select(isFar, -1, above);
  below = select(isFar, a, below);
  Term t = above / below, z = t * t;
  Term series = polynomial(z, {-0.016284767963483396, 0.03653042519149776, -0.049768236764859294, 0.058335555148316655,
                               -0.066610706755556, 0.0769187593613818, -0.0909088711433676, 0.11111110404602857,
                               -0.14285714272480435, 0.19999999999876159, -0.3333333333333293});
  angle = select(isFar, kHalfPi, angle);
  angleLow = select(isFar, kHalfPiLow, angleLow);
  Pair sum = quickSum(angle, t);
  return {sum.high, fma(series, t * z, sum.low + angleLow)};
}

// (asin(x) - x) / x as a function of x², for |x| <= 1/2.
Term seriesOfAsin(Term z) {
  return z * polynomial(z, {0.032702296162177076, -0.02111695350376789, 0.021790828694854672, 0.0036721027663615324,
                            0.010789345349586796, 0.011397288222450074, 0.013981019198684032, 0.01735159543767194,
                            0.022372215909835628, 0.030381942675120992, 0.044642857175289874, 0.07499999999970094,
                            0.16666666666666763});
}

// 2 asin(sqrt((1 - a) / 2)) = acos(a), for a >= 1/2.
Pair acosNearOne(Term a) {
  Term z = (1 - a) * 0.5, root = sqrt(z);
  Pair square = exactProduct(root, root);
  Term rootLow = select(root == 0, 0, ((z - square.high) - square.low) / (root + root));
  return {root * 2, fma(seriesOfAsin(z), root, rootLow) * 2};
}

// ---- f32: pi and its half in two parts, of which the first is an f32.

constexpr double kPiSingle = 0x1.921fb6p1, kPiSingleLow = -0x1.777a5cp-24;

Term fromPi(Term angle) { return (angle.like(kPiSingle) - angle) + kPiSingleLow; }
Term fromHalfPi(Term angle) { return (angle.like(kPiSingle / 2) - angle) + kPiSingleLow / 2; }

// atan(t) for 0 <= t <= 1.
Term fastAtanOfRatio(Term t) {
  Term z = t * t;
  Term series = polynomial(z, {0.002920682922275454, -0.016367891841469473, 0.043211804293439696, -0.07552209758192636,
                               0.10666002685292764, -0.14211054870274462, 0.199937727917083, -0.3333315273479343});
  return fma(series, t * z, t);
}

// asin(root) for |root| <= 1/2; z is its square.
Term fastAsinOfRoot(Term root, Term z) {
  Term series = z * polynomial(z, {0.042166623224575185, 0.024179386081320867, 0.04547038366197993, 0.0749529782697649,
                                   0.16666752466585932});
  return fma(series, root, root);
}

// As acosNearOne has it: the square, and what it is the square of.
struct HalfAngle {
  Term isFar, square, root;
};
HalfAngle halfAngleOf(Term x, Term magnitude) {
  Term isFar = magnitude > 0.5, square = select(isFar, (1 - magnitude) * 0.5, magnitude * magnitude);
  return {isFar, square, select(isFar, sqrt(square), x)};
}

} // namespace

Term fastAtan(Term x) {
  Term magnitude = abs(x), isFar = magnitude > 1;
  Term angle = fastAtanOfRatio(select(isFar, 1 / magnitude, magnitude));
  return copySign(select(isFar, fromHalfPi(angle), angle), x);
}

Term fastAtan2(Term y, Term x) {
  Term height = abs(y), width = abs(x), isSteep = height > width;
  Term shorter = select(isSteep, width, height), longer = select(isSteep, height, width);
  Term ratio = select((shorter == 0) & (longer == longer), 0, select(shorter == longer, 1, shorter / longer));
  Term angle = fastAtanOfRatio(ratio);
  angle = select(isSteep, fromHalfPi(angle), angle);
  return copySign(select(bits(x) < 0, fromPi(angle), angle), y);
}

Term fastAsin(Term x) {
  Term magnitude = abs(x);
  HalfAngle half = halfAngleOf(magnitude, magnitude);
  Term angle = fastAsinOfRoot(half.root, half.square);
  return copySign(select(half.isFar, fromHalfPi(angle * 2), angle), x);
}

Term fastAcos(Term x) {
  HalfAngle half = halfAngleOf(x, abs(x));
  Term angle = fastAsinOfRoot(half.root, half.square), twice = angle * 2;
  return select(half.isFar, select(x < 0, fromPi(twice), twice), fromHalfPi(angle));
}

Term atan(Term x) {
  Pair result = atanOfMagnitude(abs(x));
  return copySign(result.high + result.low, x);
}

Term atan2(Term y, Term x) {
  Term height = abs(y), width = abs(x);
  Term ratio = height / width;
  ratio = select((height == 0) & (x == x), 0, select((height == kInfinity) & (width == kInfinity), 1, ratio));
  Pair angle = atanOfMagnitude(ratio);
  // To the left, and on the axis where it is -0, the angle is taken from pi.
  Pair left = exactSum(x.like(2 * kHalfPi), -angle.high);
  Term isLeft = bits(x) < 0;
  Term high = select(isLeft, left.high, angle.high);
  Term low = select(isLeft, (left.low + 2 * kHalfPiLow) - angle.low, angle.low);
  return copySign(high + low, y);
}

Term asin(Term x) {
  Term magnitude = abs(x);
  Pair far = acosNearOne(magnitude), sum = exactSum(x.like(kHalfPi), -far.high);
  Term outside = sum.high + ((sum.low + kHalfPiLow) - far.low);
  Term inside = fma(seriesOfAsin(magnitude * magnitude), magnitude, magnitude);
  return copySign(select(magnitude <= 0.5, inside, outside), x);
}

Term acos(Term x) {
  Term magnitude = abs(x);
  Pair far = acosNearOne(magnitude);
  Pair fromPi = exactSum(x.like(2 * kHalfPi), -far.high);
  Term left = fromPi.high + ((fromPi.low + 2 * kHalfPiLow) - far.low);
  Pair fromHalf = exactSum(x.like(kHalfPi), -x);
  Term inside = fromHalf.high + (fromHalf.low + (kHalfPiLow - seriesOfAsin(x * x) * x));
  return select(magnitude <= 0.5, inside, select(x < 0, left, far.high + far.low));
}

} // namespace nereid::codegen::terms
