// Float8.h: the 8-bit float formats.
//
// A cast rounds to nearest even, and too large a value becomes the largest finite one, infinity too, as
// `cvt.rn.satfinite` does on NVIDIA GPUs (and Triton with it) for e4m3fn and e5m2; NaN stays NaN. The FNUZ formats
// (AMD) have no infinity. Rounding toward zero keeps infinity where the format has one, for Triton cuts the bits off;
// so does arithmetic in the format itself, which GPUs do not have: a negated infinity is still one.
#pragma once

#include "interp/NarrowFloat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace nereid::interp {

struct Float8Format {
  int exponentBits, mantissaBits, bias;
  // e5m2 has infinities; "fn" formats have none and one NaN pattern a sign; "fnuz" formats have 0x80 as the only NaN.
  bool hasInfinity, isUnsignedZero;

  constexpr uint8_t nan() const { return isUnsignedZero ? 0x80 : 0x7f; }
  constexpr uint8_t largest() const { return isUnsignedZero ? 0x7f : hasInfinity ? 0x7b : 0x7e; }
};

inline constexpr Float8Format kE5M2{5, 2, 15, true, false};
inline constexpr Float8Format kE4M3FN{4, 3, 7, false, false};
inline constexpr Float8Format kE5M2FNUZ{5, 2, 16, false, true};
inline constexpr Float8Format kE4M3FNUZ{4, 3, 8, false, true};

// 2^exponent, for exponents where the result is a normal float.
constexpr float powerOfTwo(int exponent) { return std::bit_cast<float>(uint32_t(exponent + 127) << 23); }

constexpr float decodeFloat8(Float8Format format, uint8_t bits) {
  uint8_t magnitude = bits & 0x7f;
  float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (format.isUnsignedZero ? bits == 0x80 : magnitude > (format.hasInfinity ? 0x7c : 0x7e))
    return std::numeric_limits<float>::quiet_NaN();
  if (format.hasInfinity && magnitude == 0x7c)
    return sign * std::numeric_limits<float>::infinity();
  int exponent = magnitude >> format.mantissaBits;
  int mantissa = magnitude & ((1 << format.mantissaBits) - 1);
  if (exponent == 0)
    return sign * float(mantissa) * powerOfTwo(1 - format.bias - format.mantissaBits);
  return sign * float(mantissa + (1 << format.mantissaBits)) * powerOfTwo(exponent - format.bias - format.mantissaBits);
}

constexpr std::array<float, 256> decodeTable(Float8Format format) {
  std::array<float, 256> table{};
  for (int i = 0; i < 256; ++i)
    table[i] = decodeFloat8(format, uint8_t(i));
  return table;
}

inline uint8_t encodeFloat8(Float8Format format, float value, Narrowing how) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint8_t sign = bits >> 31 ? 0x80 : 0;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return format.isUnsignedZero ? format.nan() : format.nan() | sign;
  if (magnitude == 0x7f800000)
    return sign | (format.hasInfinity && how != Narrowing::Cast ? 0x7c : format.largest());
  if (magnitude >= std::bit_cast<uint32_t>(powerOfTwo(18)))
    return sign | format.largest();
  // Count in units of the last place of the result; below the smallest normal the place stays fixed.
  int exponent = std::max(int(magnitude >> 23) - 127, 1 - format.bias);
  float scaled = std::bit_cast<float>(magnitude) * powerOfTwo(-exponent) * float(1 << format.mantissaBits);
  int units = how == Narrowing::Cut ? int(scaled) : int(std::nearbyint(scaled));
  int result = units + ((exponent + format.bias - 1) << format.mantissaBits);
  result = std::min<int>(result, format.largest());
  if (result == 0 && format.isUnsignedZero)
    return 0;
  return sign | uint8_t(result);
}

} // namespace nereid::interp
