#include "Facts.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

namespace {
struct FloatFormat {
  int digits; // of the significand, with the hidden one
  double largest;
};
FloatFormat formatOf(DType dtype) {
  switch (dtype) {
  case DType::Fp8E4NV: return {4, 448};
  case DType::Fp8E5: return {3, 57344};
  case DType::Fp8E4B8: return {4, 240};
  case DType::Fp8E5B16: return {3, 57344};
  case DType::Fp8E4B15: return {4, 1.75};
  case DType::Fp16: return {11, 65504};
  case DType::Bf16: return {8, 3.38e38};
  case DType::Fp32: return {24, 3.4e38};
  default: return {53, 1.79e308};
  }
}
constexpr double kInfinity = std::numeric_limits<double>::infinity();
} // namespace

double unitOf(DType dtype) { return std::ldexp(1.0, 1 - formatOf(dtype).digits); }
double largestOf(DType dtype) { return formatOf(dtype).largest; }
double exactLimitOf(DType dtype) {
  return std::min(std::ldexp(1.0, formatOf(dtype).digits), std::floor(largestOf(dtype)));
}

double lowestOf(DType dtype) { return isSigned(dtype) ? -std::ldexp(1.0, int(bytesOf(dtype)) * 8 - 1) : 0; }
double highestOf(DType dtype) {
  if (dtype == DType::Int1)
    return 1;
  return std::ldexp(1.0, int(bytesOf(dtype)) * 8 - isSigned(dtype)) - 1;
}

Facts fullFacts(DType dtype) {
  if (isFloat(dtype))
    return {.isSpecial = true};
  return integerFacts(lowestOf(dtype), highestOf(dtype));
}
Facts integerFacts(double low, double high) { return {.low = low, .high = high}; }
Facts wholeFacts(double low, double high) { return {.low = low, .high = high, .isIntegral = true}; }

Facts wrapped(DType dtype, double low, double high) {
  if (low < lowestOf(dtype) || high > highestOf(dtype) || std::max(-low, high) > 0x1p52)
    return fullFacts(dtype);
  return integerFacts(low, high);
}

Facts unite(const Facts &a, const Facts &b) {
  return {.low = std::min(a.low, b.low),
          .high = std::max(a.high, b.high),
          .error = std::max(a.error, b.error),
          .isIntegral = a.isIntegral && b.isIntegral,
          .isSpecial = a.isSpecial || b.isSpecial,
          .isZeroUnsigned = a.isZeroUnsigned || b.isZeroUnsigned,
          .fusedUnits = std::max(a.fusedUnits, b.fusedUnits)};
}

std::optional<Facts> rounded(DType dtype, Facts facts) {
  if (facts.error > 0)
    facts.error += unitOf(dtype) * (facts.magnitude() + facts.error);
  double limit = largestOf(dtype) * 0.9;
  if (facts.isSpecial || !(facts.magnitude() < limit)) {
    if (facts.error > 0)
      return std::nullopt;
    return Facts{.isSpecial = true, .isZeroUnsigned = facts.isZeroUnsigned, .fusedUnits = facts.fusedUnits};
  }
  if (facts.magnitude() > exactLimitOf(dtype))
    facts.isIntegral = false;
  if (!facts.isIntegral) { // rounding may step over the bound
    double slack = unitOf(dtype) * facts.magnitude();
    facts.low -= slack, facts.high += slack;
  }
  // A result that says nothing is not worth comparing.
  if (facts.error > 0.02 * std::max(facts.magnitude(), 1e-3) || facts.error + facts.magnitude() > limit)
    return std::nullopt;
  return facts;
}

static Facts combined(const Facts &a, const Facts &b) {
  Facts result = unite(a, b);
  result.fusedUnits = 0;
  return result;
}

std::optional<Facts> addFacts(DType dtype, const Facts &a, const Facts &b, bool contracts) {
  Facts result = combined(a, b);
  result.low = a.low + b.low, result.high = a.high + b.high;
  result.error = a.error + b.error;
  double most = a.magnitude() + b.magnitude(), units = std::max(a.fusedUnits, b.fusedUnits);
  bool isExact = result.isIntegral && most <= exactLimitOf(dtype);
  if (contracts && units > 0 && !isExact) {
    if (result.isSpecial)
      return std::nullopt; // a fused product may be finite where a rounded one is not
    result.error += units * unitOf(dtype) * most;
  }
  return rounded(dtype, result);
}

std::optional<Facts> multiplyFacts(DType dtype, const Facts &a, const Facts &b) {
  Facts result = combined(a, b);
  double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  if (result.isSpecial) {
    result.low = -kInfinity, result.high = kInfinity;
    result.error = a.error + b.error;
  } else {
    result.low = *std::ranges::min_element(corners), result.high = *std::ranges::max_element(corners);
    result.error = a.magnitude() * b.error + b.magnitude() * a.error + a.error * b.error;
  }
  bool isExactProduct = result.isIntegral && result.magnitude() <= exactLimitOf(dtype);
  std::optional<Facts> done = rounded(dtype, result);
  if (done)
    done->fusedUnits = isExactProduct ? 0 : 1;
  return done;
}

std::optional<Facts> divideFacts(DType dtype, const Facts &a, const Facts &b) {
  if (b.isZeroUnsigned)
    return std::nullopt; // 1 / 0 would show the sign
  Facts result = combined(a, b);
  result.isIntegral = false;
  double least = b.low > 0 ? b.low : b.high < 0 ? -b.high : 0;
  if (least < 1e-3 || result.isSpecial) {
    if (a.error + b.error > 0)
      return std::nullopt;
    result.isSpecial = true;
    return rounded(dtype, result);
  }
  double corners[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  result.low = *std::ranges::min_element(corners), result.high = *std::ranges::max_element(corners);
  result.error = (a.error + result.magnitude() * b.error) / std::max(least - b.error, least / 2);
  if (b.error > least / 2)
    return std::nullopt;
  return rounded(dtype, result);
}

Facts negateFacts(const Facts &a) {
  Facts result = a;
  result.low = -a.high, result.high = -a.low;
  return result;
}

Facts absoluteFacts(const Facts &a) {
  Facts result = a;
  result.low = a.low >= 0 ? a.low : a.high <= 0 ? -a.high : 0, result.high = a.magnitude();
  result.isZeroUnsigned = false, result.fusedUnits = 0;
  return result;
}

Facts extremumFacts(const Facts &a, const Facts &b) {
  Facts result = combined(a, b);
  result.isZeroUnsigned = true; // which zero of two is larger is not said
  return result;
}

std::optional<Facts> sumFacts(DType dtype, const Facts &a, double count) {
  if (a.isSpecial)
    return std::nullopt;
  Facts result = a;
  result.fusedUnits = 0, result.isZeroUnsigned = true;
  result.low = std::min(a.low, a.low * count), result.high = std::max(a.high, a.high * count);
  if (a.isIntegral && a.error == 0 && count * a.magnitude() <= exactLimitOf(dtype))
    return rounded(dtype, result);
  result.error = count * a.error + count * unitOf(dtype) * count * a.magnitude() + 1e-30;
  return rounded(dtype, result);
}

static std::optional<Facts> castToFloat(DType from, DType to, const Facts &a) {
  Facts result = a;
  result.fusedUnits = 0;
  if (!isFloat(from))
    result.isIntegral = true;
  if (to == DType::Fp8E4B15 && a.isSpecial) // made from bits: what a NaN becomes is not fixed
    return std::nullopt;
  bool isWider = isFloat(from) && unitOf(to) <= unitOf(from) && largestOf(to) >= largestOf(from);
  if (isWider)
    return result;
  // fp8 forms without -0, and saturation, make the sign of zero and the largest values a matter of the format; both
  // devices follow the same table, so `error` 0 stays 0.
  if (result.magnitude() > exactLimitOf(to))
    result.isIntegral = false;
  return rounded(to, result);
}

std::optional<Facts> castFacts(DType from, DType to, const Facts &a) {
  if (from == to)
    return a; // also a product is one as before
  if (isFloat(to))
    return castToFloat(from, to, a);
  if (!isFloat(from)) {
    if (to == DType::Int1)
      return integerFacts(0, 1);
    return wrapped(to, a.low, a.high);
  }
  if (a.error > 0)
    return std::nullopt;
  if (to == DType::Int1)
    return integerFacts(0, 1);
  // Out of range is undefined.
  if (a.isSpecial || a.low <= lowestOf(to) - (isSigned(to) ? 0 : 1) || a.high >= highestOf(to) ||
      a.magnitude() > 0x1p50)
    return std::nullopt;
  return integerFacts(std::trunc(a.low), std::trunc(a.high));
}

} // namespace nereid::differ
