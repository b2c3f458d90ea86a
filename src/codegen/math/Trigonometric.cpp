// Trigonometric.cpp: sine, cosine and tangent, in radians and in half turns.
#include "codegen/math/Functions.h"
#include "codegen/math/Reduction.h"

namespace nereid::codegen::terms {

namespace {

// Both on [-pi/4, pi/4], the second part much smaller than the first.
Pair sineOf(Pair angle) {
  Term r = angle.high, z = r * r;
  Term series = polynomial(z, {1.5896795643816662e-10, -2.5050758115141003e-08, 2.755731369191757e-06,
                               -0.00019841269829807808, 0.008333333333322413, -0.16666666666666632});
  return {r, fma(series, r * z, fma(angle.low * -0.5, z, angle.low))};
}

Pair cosineOf(Pair angle) {
  Term r = angle.high, z = r * r, half = z * 0.5, first = 1 - half;
  Term series = polynomial(z, {-1.135851392432565e-11, 2.087570041553676e-09, -2.75573141762358e-07,
                               2.4801587288841384e-05, -0.001388888888887304, 0.041666666666666595});
  return {first, ((1 - first) - half) + (z * z * series - r * angle.low)};
}

// sin(quadrant · pi/2 + angle)
Term sineOf(Reduced angle) {
  Pair sine = sineOf(angle.angle), cosine = cosineOf(angle.angle);
  Term isOdd = (angle.quadrant & 1) != 0;
  Term value = select(isOdd, cosine.high, sine.high) + select(isOdd, cosine.low, sine.low);
  return asFloat(bits(value) ^ ((angle.quadrant & 2) << 62));
}

// The same with the accuracy of f32.
Term singleSineOf(Reduced angle) {
  Term r = angle.angle.high, z = r * r;
  Term sine =
      polynomial(z, {2.718304231937248e-06, -0.00019839334083383622, 0.008333329383583497, -0.16666666641607006, 1});
  Term cosine = polynomial(z, {2.4433082648293403e-05, -0.001388731561610084, 0.0416666456701455, -0.5, 1});
  Term value = select((angle.quadrant & 1) != 0, cosine, sine * r);
  return asFloat(bits(value) ^ ((angle.quadrant & 2) << 62));
}

// Both in f32, on [-pi/4, pi/4].
Pair sineAndCosine(Term r) {
  Term z = r * r;
  Term sine = fma(polynomial(z, {-0.0001951520377631754, 0.008332160191743222, -0.16666654600882838}), r * z, r);
  Term cosine =
      fma(polynomial(z, {2.4433067720293323e-05, -0.0013887315489053292, 0.04166664566759855}), z * z, fma(z, -0.5, 1));
  return {sine, cosine};
}

// sin(quadrant · pi/2 + r) in f32.
Term sineInSingle(SingleReduced angle, unsigned quadrant) {
  auto [sine, cosine] = sineAndCosine(angle.angle);
  Term all = angle.quadrant + quadrant;
  return asFloat(bits(select((all & 1) != 0, cosine, sine)) ^ ((all & 2) << 30));
}

// tan(quadrant · pi/2 + r) in f32.
Term tangentInSingle(SingleReduced angle) {
  auto [sine, cosine] = sineAndCosine(angle.angle);
  Term isOdd = (angle.quadrant & 1) != 0;
  return select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
}

// An f32 up to kSmallAngle: the products of f32 with the first part of pi/2 have no rest that a fused step would lose.
SingleReduced reduceInSingle(Term x) {
  constexpr double kAnchor = 0x1.8p23; // its last place is 1
  Term anchored = fma(x, 0x1.45f306p-1, kAnchor), n = anchored - kAnchor;
  Term r = fma(n, 0x1.ee59dap-50, fma(n, -0x1.4442d2p-24, fma(n, -0x1.921fb4p0, x)));
  return {r, bits(anchored)};
}

// A function of an f32 that is larger; it comes and goes as a double in one lane.
Term ofLargeSingle(Term x, llvm::function_ref<Term(SingleReduced)> function) {
  llvm::IRBuilderBase &builder = x.code->builder;
  SingleReduced angle = reduceLargeSingle(toSingle(x.with(builder.CreateExtractElement(x.value, uint64_t(0)))));
  Term result = toDouble(function(angle));
  return x.with(builder.CreateInsertElement(x.value, result.value, uint64_t(0)));
}

// What is below the last place of sine and tangent, -0 included.
Term withSmall(Term x, Term result) { return select(abs(x) < 0x1p-27, x, result); }

// x · pi modulo a quarter turn.
Reduced reduceHalfTurns(Term x) {
  constexpr double kAnchor = 0x1.8p52, kAnchorOf4 = 0x1.8p54;
  Term turns = x - ((x + kAnchorOf4) - kAnchorOf4);
  turns = select(abs(x) < 0x1p53, turns, 0); // even numbers
  Term anchored = fma(turns, 2, kAnchor), rest = fma(anchored - kAnchor, -0.5, turns);
  return {Pair{x.like(0x1.921fb54442d18p1), x.like(0x1.1a62633145c07p-53)} * rest, bits(anchored)};
}

Term onlyFinite(Term x, Term result) { return select(abs(x) < kInfinity, result, kNaN); }

} // namespace

Term sin(Term x) { return withSmall(x, sineOf(reduceAngle(x))); }

Term cos(Term x) {
  Reduced angle = reduceAngle(x);
  return sineOf(Reduced{angle.angle, angle.quadrant + 1});
}

Term sinSingle(Term x) { return withSmall(x, singleSineOf(reduceSingleAngle(x))); }

Term cosSingle(Term x) {
  Reduced angle = reduceSingleAngle(x);
  return singleSineOf(Reduced{angle.angle, angle.quadrant + 1});
}

Term sinSmall(Term x) { return withSmall(x, sineInSingle(reduceInSingle(x), 0)); }

Term cosSmall(Term x) { return sineInSingle(reduceInSingle(x), 1); }

Term tanSmall(Term x) { return withSmall(x, tangentInSingle(reduceInSingle(x))); }

Term sinLarge(Term x) {
  return ofLargeSingle(x, [](SingleReduced angle) { return sineInSingle(angle, 0); });
}

Term cosLarge(Term x) {
  return ofLargeSingle(x, [](SingleReduced angle) { return sineInSingle(angle, 1); });
}

Term tanLarge(Term x) { return ofLargeSingle(x, tangentInSingle); }

Term tan(Term x) {
  Reduced angle = reduceAngle(x);
  Pair sine = sineOf(angle.angle), cosine = cosineOf(angle.angle);
  Term isOdd = (angle.quadrant & 1) != 0;
  Pair above = {select(isOdd, -cosine.high, sine.high), select(isOdd, -cosine.low, sine.low)};
  Pair below = {select(isOdd, sine.high, cosine.high), select(isOdd, sine.low, cosine.low)};
  Pair result = quotient(quickSum(above.high, above.low), quickSum(below.high, below.low));
  return withSmall(x, result.high + result.low);
}

Term sinPi(Term x) {
  Term result = sineOf(reduceHalfTurns(x));
  return onlyFinite(x, select(result == 0, copySign(x.like(0), x), result));
}

Term cosPi(Term x) {
  Reduced angle = reduceHalfTurns(x);
  Term result = sineOf(Reduced{angle.angle, angle.quadrant + 1});
  return onlyFinite(x, select(result == 0, 0, result));
}

} // namespace nereid::codegen::terms
