// Pair.cpp: sums and products without loss (Knuth's two-sum, Dekker's product).
#include "codegen/math/Pair.h"

namespace nereid::codegen::terms {

Pair exactSum(Term a, Term b) {
  Term sum = a + b, shared = sum - a;
  return {sum, (a - (sum - shared)) + (b - shared)};
}

Pair quickSum(Term a, Term b) {
  Term sum = a + b;
  return {sum, b - (sum - a)};
}

// The upper half of the mantissa, by cutting bits: unlike Dekker's multiplication it cannot overflow.
static Term upperHalf(Term a) { return asFloat(bits(a) & (a.isDouble() ? ~uint64_t(0x7ffffff) : ~uint64_t(0xfff))); }

Pair exactProduct(Term a, Term b) {
  Term product = a * b;
  if (hasFma(a))
    return {product, fma(a, b, -product)};
  Term aHigh = upperHalf(a), aLow = a - aHigh, bHigh = upperHalf(b), bLow = b - bHigh;
  return {product, aLow * bLow - (((product - aHigh * bHigh) - aLow * bHigh) - aHigh * bLow)};
}

Pair operator+(Pair a, Pair b) {
  Pair sum = exactSum(a.high, b.high);
  return quickSum(sum.high, sum.low + (a.low + b.low));
}

Pair operator*(Pair a, Pair b) {
  Pair product = exactProduct(a.high, b.high);
  return quickSum(product.high, fma(a.high, b.low, fma(a.low, b.high, product.low)));
}

Pair operator*(Pair a, Term b) {
  Pair product = exactProduct(a.high, b);
  return quickSum(product.high, fma(a.low, b, product.low));
}

Pair quotient(Term a, Term b) {
  Term high = a / b;
  Pair back = exactProduct(high, b);
  return {high, ((a - back.high) - back.low) / b};
}

Pair quotient(Pair a, Pair b) {
  Term high = a.high / b.high;
  Pair back = exactProduct(high, b.high);
  Term rest = ((a.high - back.high) - back.low) + a.low;
  return quickSum(high, (rest - high * b.low) / b.high);
}

} // namespace nereid::codegen::terms
