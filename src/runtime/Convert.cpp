// Convert.cpp: one description of the small float formats (bits, bias, special values) serves all of them.
#include "runtime/Convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace nereid::runtime {

namespace {

// What the all-ones exponent means, and where NaN lives.
enum class Special {
  Ieee,         // infinities and NaNs with the all-ones exponent (f16, bf16, e5)
  NaNAllOnes,   // no infinity; NaN is all ones in exponent and mantissa (e4nv)
  NaNMinusZero, // no infinity, no negative zero; NaN is the sign bit alone (e4b8, e5b16)
  None,         // every code is a number (e4b15)
};

struct Format {
  int exponentBits, mantissaBits, bias;
  Special special;

  int bits() const { return 1 + exponentBits + mantissaBits; }
  uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
  uint32_t exponentMask() const { return (1u << exponentBits) - 1; }
  uint32_t mantissaMask() const { return (1u << mantissaBits) - 1; }
  uint32_t nan() const {
    if (special == Special::NaNMinusZero)
      return signBit();
    if (special == Special::Ieee) // the quiet NaN with only the highest mantissa bit
      return exponentMask() << mantissaBits | 1u << (mantissaBits - 1);
    return signBit() - 1;
  }
  // The code of the largest finite number.
  uint32_t largest() const {
    if (special == Special::Ieee)
      return (exponentMask() << mantissaBits) - 1;
    if (special == Special::NaNAllOnes)
      return signBit() - 2;
    return signBit() - 1;
  }
};

Format formatOf(DType type) {
  switch (type) {
  case DType::Fp8E4NV: return {4, 3, 7, Special::NaNAllOnes};
  case DType::Fp8E5: return {5, 2, 15, Special::Ieee};
  case DType::Fp8E4B8: return {4, 3, 8, Special::NaNMinusZero};
  case DType::Fp8E5B16: return {5, 2, 16, Special::NaNMinusZero};
  case DType::Fp8E4B15: return {4, 3, 15, Special::None};
  case DType::Bf16: return {8, 7, 127, Special::Ieee};
  default: return {5, 10, 15, Special::Ieee}; // f16
  }
}

double decode(const Format &format, uint32_t code) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  double sign = code & format.signBit() ? -1.0 : 1.0;
  uint32_t exponent = code >> format.mantissaBits & format.exponentMask();
  uint32_t mantissa = code & format.mantissaMask();
  if (format.special == Special::NaNMinusZero && code == format.signBit())
    return kNaN;
  if (format.special == Special::NaNAllOnes && (code & ~format.signBit()) == format.nan())
    return kNaN;
  if (format.special == Special::Ieee && exponent == format.exponentMask())
    return mantissa ? kNaN : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - format.bias - format.mantissaBits);
  return sign * std::ldexp(mantissa + (1u << format.mantissaBits),
                           static_cast<int>(exponent) - format.bias - format.mantissaBits);
}

// What a value beyond the largest finite number becomes.
uint32_t overflowCode(const Format &format) {
  if (format.special == Special::Ieee)
    return format.exponentMask() << format.mantissaBits;
  return format.special == Special::None ? format.largest() : format.nan();
}

uint32_t encode(const Format &format, double value) {
  if (std::isnan(value))
    return format.special == Special::None ? format.largest() : format.nan();
  uint32_t sign = std::signbit(value) ? format.signBit() : 0;
  double magnitude = std::fabs(value);
  uint32_t code;
  if (std::isinf(magnitude)) {
    code = overflowCode(format);
  } else if (magnitude == 0) {
    code = 0;
  } else {
    // Scale so that one unit in the last place is 1, and let nearbyint round to nearest even. The codes of the format
    // are in the order of their values, so a carry out of the mantissa lands in the exponent by itself.
    int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
    double units = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
    double wide = units + std::ldexp(static_cast<double>(exponent + format.bias - 1), format.mantissaBits);
    code = wide > format.largest() ? overflowCode(format) : static_cast<uint32_t>(wide);
  }
  if (format.special == Special::NaNMinusZero && (code == 0 || code == format.nan()))
    return code;
  return sign | code;
}

template <class T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T> void save(std::byte *to, T value) { std::memcpy(to, &value, sizeof value); }

template <class T> void saveSaturated(std::byte *to, double value) {
  double low = static_cast<double>(std::numeric_limits<T>::min());
  double high = static_cast<double>(std::numeric_limits<T>::max());
  if (std::isnan(value))
    save<T>(to, 0);
  else if (value <= low)
    save<T>(to, std::numeric_limits<T>::min());
  else if (value >= high) // also catches 2^63 and 2^64, which `high` rounds up to
    save<T>(to, std::numeric_limits<T>::max());
  else
    save<T>(to, static_cast<T>(value));
}

} // namespace

double readElement(DType type, const std::byte *element) {
  switch (type) {
  case DType::Int1: return load<uint8_t>(element) != 0;
  case DType::Int8: return load<int8_t>(element);
  case DType::Int16: return load<int16_t>(element);
  case DType::Int32: return load<int32_t>(element);
  case DType::Int64: return static_cast<double>(load<int64_t>(element));
  case DType::UInt8: return load<uint8_t>(element);
  case DType::UInt16: return load<uint16_t>(element);
  case DType::UInt32: return load<uint32_t>(element);
  case DType::UInt64: return static_cast<double>(load<uint64_t>(element));
  case DType::Fp32: return load<float>(element);
  case DType::Fp64: return load<double>(element);
  case DType::Fp16:
  case DType::Bf16: return decode(formatOf(type), load<uint16_t>(element));
  default: return decode(formatOf(type), load<uint8_t>(element));
  }
}

void writeElement(DType type, std::byte *element, double value) {
  switch (type) {
  case DType::Int1: return save<uint8_t>(element, value != 0);
  case DType::Int8: return saveSaturated<int8_t>(element, value);
  case DType::Int16: return saveSaturated<int16_t>(element, value);
  case DType::Int32: return saveSaturated<int32_t>(element, value);
  case DType::Int64: return saveSaturated<int64_t>(element, value);
  case DType::UInt8: return saveSaturated<uint8_t>(element, value);
  case DType::UInt16: return saveSaturated<uint16_t>(element, value);
  case DType::UInt32: return saveSaturated<uint32_t>(element, value);
  case DType::UInt64: return saveSaturated<uint64_t>(element, value);
  case DType::Fp32: return save<float>(element, static_cast<float>(value));
  case DType::Fp64: return save<double>(element, value);
  case DType::Fp16:
  case DType::Bf16: return save<uint16_t>(element, static_cast<uint16_t>(encode(formatOf(type), value)));
  default: return save<uint8_t>(element, static_cast<uint8_t>(encode(formatOf(type), value)));
  }
}

void writeInteger(DType type, std::byte *element, int64_t value) {
  if (type == DType::Int64)
    save<int64_t>(element, value);
  else if (type == DType::UInt64)
    save<uint64_t>(element, value < 0 ? 0 : static_cast<uint64_t>(value));
  else
    writeElement(type, element, static_cast<double>(value));
}

static std::string textOf(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

static std::string whyNotHeldByInteger(DType type, double value) {
  int bits = type == DType::Int1 ? 1 : 8 * static_cast<int>(bytesOf(type));
  bool hasSign = isSigned(type);
  double low = hasSign ? -std::ldexp(1, bits - 1) : 0, end = std::ldexp(1, bits - hasSign);
  if (value >= low && value < end && value == std::floor(value))
    return "";
  std::string highest = bits == 64 ? (hasSign ? "2**63 - 1" : "2**64 - 1") : textOf(end - 1);
  return "`" + std::string(nameOf(type)) + "` holds integers from " + (bits == 64 && hasSign ? "-2**63" : textOf(low)) +
         " to " + highest + ", not " + textOf(value);
}

std::string whyNotHeld(DType type, double value) {
  if (!isFloat(type))
    return whyNotHeldByInteger(type, value);
  std::string name = "`" + std::string(nameOf(type)) + "`";
  bool isSmall = type != DType::Fp32 && type != DType::Fp64;
  Special special = isSmall ? formatOf(type).special : Special::Ieee;
  if (std::isnan(value))
    return special == Special::None ? name + " has no NaN" : "";
  if (std::isinf(value))
    return special == Special::Ieee ? "" : name + " has no infinity";
  double largest = isSmall               ? decode(formatOf(type), formatOf(type).largest())
                   : type == DType::Fp32 ? static_cast<double>(std::numeric_limits<float>::max())
                                         : std::numeric_limits<double>::max();
  return std::fabs(value) <= largest ? "" : name + " holds numbers up to " + textOf(largest) + ", not " + textOf(value);
}

std::optional<DType> parseDType(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, DType>, 25> kOthers{
      {{"bool", DType::Int1},           {"int1", DType::Int1},          {"fp16", DType::Fp16},
       {"float16", DType::Fp16},        {"half", DType::Fp16},          {"bfloat16", DType::Bf16},
       {"fp32", DType::Fp32},           {"float32", DType::Fp32},       {"float", DType::Fp32},
       {"fp64", DType::Fp64},           {"float64", DType::Fp64},       {"double", DType::Fp64},
       {"int8", DType::Int8},           {"int16", DType::Int16},        {"int32", DType::Int32},
       {"int64", DType::Int64},         {"uint8", DType::UInt8},        {"uint16", DType::UInt16},
       {"uint32", DType::UInt32},       {"uint64", DType::UInt64},      {"float8e4nv", DType::Fp8E4NV},
       {"float8e5", DType::Fp8E5},      {"float8e4b8", DType::Fp8E4B8}, {"float8e5b16", DType::Fp8E5B16},
       {"float8e4b15", DType::Fp8E4B15}}};
  for (int i = 0; i < kDTypeCount; ++i)
    if (nameOf(static_cast<DType>(i)) == name)
      return static_cast<DType>(i);
  for (const auto &[other, type] : kOthers)
    if (other == name)
      return type;
  return std::nullopt;
}

} // namespace nereid::runtime
