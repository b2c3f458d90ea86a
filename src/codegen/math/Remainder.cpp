// Remainder.cpp: the exact remainder of a division: fmod with the sign of the dividend, remainder of the nearest quotient.
//
// Long division in digits of up to 50 bits: as long as the rest r is not below the divisor, y · 2^k is subtracted q
// times, with k such that q fits. The difference is exact, for it is a multiple of the last place of y · 2^k and below
// it. When the quotient's rounding made q one too large, the difference is negative and y · 2^k is added back.
#include "codegen/math/Basic.h"
#include "codegen/math/Blocks.h"
#include "codegen/math/Exp.h"
#include "codegen/math/Functions.h"

namespace nereid::codegen::terms {

static Term divideOnce(Term rest, Term divisor) {
  Term k = exponent(rest) - exponent(divisor) - 50;
  // Near the largest numbers a product that is too large would be infinite: both sides are made smaller there.
  Term isHuge = rest > 0x1p1000, shrunk = select(isHuge, 0.25, rest.like(1));
  Term scaled = scaleTwice(divisor, atMost(atLeast(k, 0), 2040)) * shrunk, dividend = rest * shrunk;
  Term q = trunc(dividend / scaled);
  Pair product = exactProduct(q, scaled);
  Term difference = (dividend - product.high) - product.low;
  return select(difference < 0, difference + scaled, difference) * select(isHuge, 4, rest.like(1));
}

Term fmod(Term x, Term y) {
  Term dividend = abs(x), divisor = abs(y);
  Term isProper = (dividend < kInfinity) & (divisor > 0);
  // Lanes without an answer do not loop: 0 is below everything, and a divisor of infinity above.
  Term start = select(isProper, dividend, 0), limit = select(isProper, divisor, kInfinity);
  Term rest = whileAny(
      start, [&](Term r) { return r >= limit; }, [&](Term r) { return select(r >= limit, divideOnce(r, limit), r); });
  return copySign(select(isProper, rest, kNaN), x);
}

// The rest by twice the divisor says whether the quotient is odd. All differences are exact: their sides are at most
// a factor of 2 apart.
Term remainder(Term x, Term y) {
  Term divisor = abs(y);
  Term twice = select(divisor > 0x1p1022, kInfinity, divisor + divisor);
  Term rest = abs(fmod(x, twice));
  Term isOdd = rest >= divisor, above = select(isOdd, rest - divisor, rest), below = divisor - above;
  Term isNearer = (above > below) | ((above == below) & isOdd);
  Term result = select(isNearer, -below, above);
  return select(copySign(result.like(1), x) < 0, -result, result);
}

} // namespace nereid::codegen::terms
