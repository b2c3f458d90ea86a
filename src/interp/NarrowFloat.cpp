// NarrowFloat.cpp: conversions of narrow floats, written without branches where the loops should vectorize.
#include "interp/NarrowFloat.h"
#include "interp/Float8.h"

#include <algorithm>

namespace nereid::interp {

float f16ToF32(uint16_t bits) {
  // Move exponent and mantissa into place and rescale: the multiplication makes subnormals right.
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  float scaled = std::bit_cast<float>(magnitude) * powerOfTwo(112);
  uint32_t special = magnitude >= 0x0f800000 ? 0x7f800000 : 0;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | special | uint32_t(bits & 0x8000) << 16);
}

uint16_t f32ToF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  // Normal results: add half of the last place (ties to even), rebias. Subnormal results: let a float addition round.
  uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - 0x3f000000;
  uint32_t result = magnitude < (113u << 23) ? subnormal : normal;
  result = magnitude >= 0x477ff000 ? 0x7c00 : result;
  result = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : result; // as processors do it
  return uint16_t(sign | result);
}

static uint16_t f32ToF16TowardZero(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude == 0x7f800000)
    return uint16_t(sign | 0x7c00);
  if (magnitude >= 0x47800000)
    return uint16_t(sign | 0x7bff);
  if (magnitude < (113u << 23))
    return uint16_t(sign | uint32_t(std::bit_cast<float>(magnitude) * powerOfTwo(24)));
  return uint16_t(sign | (magnitude - (112u << 23)) >> 13);
}

float bf16ToF32(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

uint16_t f32ToBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16 | 0x40) : rounded);
}

static uint16_t f32ToBF16TowardZero(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16 | 0x40) : bits >> 16);
}

float roundToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || std::isnan(value))
    return nearest;
  // Step back to the neighbour toward zero where rounding went away from it, and mark the loss in the last bit.
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(double(nearest)) > std::fabs(value))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

template <auto convert> static void unpack16(float *result, const void *source, size_t count) {
  auto *from = static_cast<const uint16_t *>(source);
  for (size_t i = 0; i < count; ++i)
    result[i] = convert(from[i]);
}

template <auto convert> static void pack16(void *result, const float *source, size_t count) {
  auto *to = static_cast<uint16_t *>(result);
  for (size_t i = 0; i < count; ++i)
    to[i] = convert(source[i]);
}

template <Float8Format format> static void unpack8(float *result, const void *source, size_t count) {
  static constexpr std::array<float, 256> kTable = decodeTable(format);
  auto *from = static_cast<const uint8_t *>(source);
  for (size_t i = 0; i < count; ++i)
    result[i] = kTable[from[i]];
}

template <Float8Format format, Narrowing how> static void pack8(void *result, const float *source, size_t count) {
  auto *to = static_cast<uint8_t *>(result);
  for (size_t i = 0; i < count; ++i)
    to[i] = encodeFloat8(format, source[i], how);
}

Unpack unpackOf(Element element) {
  switch (element) {
  case Element::F8E5M2: return unpack8<kE5M2>;
  case Element::F8E4M3FN: return unpack8<kE4M3FN>;
  case Element::F8E5M2FNUZ: return unpack8<kE5M2FNUZ>;
  case Element::F8E4M3FNUZ: return unpack8<kE4M3FNUZ>;
  case Element::F16: return unpack16<f16ToF32>;
  case Element::BF16: return unpack16<bf16ToF32>;
  default: return nullptr;
  }
}

template <Narrowing how> static Pack packFor(Element element) {
  switch (element) {
  case Element::F8E5M2: return pack8<kE5M2, how>;
  case Element::F8E4M3FN: return pack8<kE4M3FN, how>;
  case Element::F8E5M2FNUZ: return pack8<kE5M2FNUZ, how>;
  case Element::F8E4M3FNUZ: return pack8<kE4M3FNUZ, how>;
  case Element::F16: return how == Narrowing::Cut ? pack16<f32ToF16TowardZero> : pack16<f32ToF16>;
  case Element::BF16: return how == Narrowing::Cut ? pack16<f32ToBF16TowardZero> : pack16<f32ToBF16>;
  default: return nullptr;
  }
}

Pack packOf(Element element, Narrowing how) {
  switch (how) {
  case Narrowing::Cast: return packFor<Narrowing::Cast>(element);
  case Narrowing::Cut: return packFor<Narrowing::Cut>(element);
  case Narrowing::Arithmetic: return packFor<Narrowing::Arithmetic>(element);
  }
  return nullptr;
}

} // namespace nereid::interp
