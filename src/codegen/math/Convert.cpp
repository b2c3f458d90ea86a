// Convert.cpp: narrow floats to and from f32, for every lane at once and without branches. The meaning is that of the
// interpreter's NarrowFloat.h and Float8.h, to the bit, with one exception: where the processor widens f16 itself, it
// sets the quiet bit of a signaling NaN.
#include "codegen/math/Math.h"
#include "codegen/math/Term.h"

#include "llvm/ADT/bit.h"

#include <cmath>

namespace nereid::codegen {

using namespace terms;

namespace {

enum class Special {
  Ieee,         // infinities, and NaNs with a payload
  NoInfinity,   // "fn": the largest pattern of each sign is NaN
  UnsignedZero, // "fnuz": the pattern of -0 is the only NaN
};

struct Format {
  unsigned width, mantissaBits, bias;
  Special special;

  unsigned shift() const { return 23 - mantissaBits; } // from the bits of f32
  uint32_t signMask() const { return 1u << (width - 1); }
  uint32_t magnitudeMask() const { return signMask() - 1; }
  // Only for Special::Ieee.
  uint32_t infinity() const { return magnitudeMask() >> mantissaBits << mantissaBits; }
  uint32_t largest() const {
    switch (special) {
    case Special::Ieee: return infinity() - 1;
    case Special::NoInfinity: return magnitudeMask() - 1;
    case Special::UnsignedZero: return magnitudeMask();
    }
    return 0;
  }
  bool isEight() const { return width == 8; }
};

Format formatOf(NarrowFloat type) {
  switch (type) {
  case NarrowFloat::F16: return {16, 10, 15, Special::Ieee};
  case NarrowFloat::BF16: return {16, 7, 127, Special::Ieee};
  case NarrowFloat::F8E4M3FN: return {8, 3, 7, Special::NoInfinity};
  case NarrowFloat::F8E5M2: return {8, 2, 15, Special::Ieee};
  case NarrowFloat::F8E4M3FNUZ: return {8, 3, 8, Special::UnsignedZero};
  case NarrowFloat::F8E5M2FNUZ: return {8, 2, 16, Special::UnsignedZero};
  case NarrowFloat::F8E4M3B11FNUZ: return {8, 3, 11, Special::UnsignedZero};
  }
  return {};
}

constexpr uint32_t kInfinityBits = 0x7f800000, kQuietNaNBits = 0x7fc00000;

double powerOfTwo(int exponent) { return std::ldexp(1.0, exponent); }

// ---- To f32.

// Through f16, which the processor widens: every format of at most five exponent bits fits but for its bias. E5M2FNUZ
// does not: it uses the exponent that means infinity in f16.
bool goesThroughHalf(const Format &format, const MathTarget &target) {
  return target.hasF16c && (format.special != Special::UnsignedZero || format.mantissaBits > 2);
}

Term widenHalf(Term half) {
  llvm::IRBuilderBase &builder = half.code->builder;
  return half.with(builder.CreateFPExt(builder.CreateBitCast(half.value, half.typeOf(builder.getHalfTy())),
                                       half.typeOf(builder.getFloatTy())));
}

Term widenThroughHalf(Term narrow, const Format &format) {
  if (!format.isEight())
    return widenHalf(narrow);
  Term wide = resize(narrow, 16);
  if (format.mantissaBits == 2)
    return widenHalf(wide << 8);
  Term half = (wide & 0x7f) << (10 - format.mantissaBits) | (wide & 0x80) << 8;
  return widenHalf(half) * powerOfTwo(15 - int(format.bias));
}

// Exponent and mantissa move into place; subnormals are counted in units of the last place. No step has a subnormal
// operand, which would cost processors a hundred cycles.
Term widenByBits(Term narrow, const Format &format) {
  Term wide = resize(narrow, 32), magnitude = wide & format.magnitudeMask();
  Term normal = (magnitude << format.shift()) + ((127 - format.bias) << 23);
  Term subnormal = bits(toFloat(magnitude) * powerOfTwo(1 - int(format.bias + format.mantissaBits)));
  Term result = select(magnitude < (1u << format.mantissaBits), subnormal, normal);
  if (format.special == Special::Ieee)
    result = select(magnitude >= format.infinity(), magnitude << format.shift() | kInfinityBits, result);
  return asFloat(result | (wide & format.signMask()) << (32 - format.width));
}

// The 8-bit formats have one NaN in f32.
Term withQuietNaN(Term value, Term narrow, const Format &format) {
  Term nan = asFloat(bits(value).like(kQuietNaNBits));
  if (format.special == Special::Ieee)
    return select(isNaN(value), nan, value);
  if (format.special == Special::UnsignedZero)
    return select(narrow == 0x80, nan, value);
  return select((narrow & 0x7f) == 0x7f, nan, value);
}

// ---- From f32.

// Rounded to nearest even, in units of the format's last place; anything above the largest exponent just grows.
Term roundToNearest(Term magnitude, const Format &format) {
  uint32_t half = 1u << (format.shift() - 1);
  Term normal =
      (magnitude + (half - 1) + (magnitude >> format.shift() & 1) - ((127 - format.bias) << 23)) >> format.shift();
  // A float addition that ends where the last place is the format's rounds the subnormal ones.
  float anchor = float(powerOfTwo(24 - int(format.bias + format.mantissaBits)));
  Term subnormal = bits(asFloat(magnitude) + anchor) - llvm::bit_cast<uint32_t>(anchor);
  return select(magnitude < ((128 - format.bias) << 23), subnormal, normal);
}

Term roundTowardZero(Term magnitude, const Format &format) {
  Term normal = (magnitude - ((127 - format.bias) << 23)) >> format.shift();
  Term subnormal = toInteger(asFloat(magnitude) * powerOfTwo(int(format.bias + format.mantissaBits) - 1));
  return select(magnitude < ((128 - format.bias) << 23), subnormal, normal);
}

// What is too large: f16 rounds to infinity, an 8-bit cast stops at the largest value, infinity too; cutting keeps
// infinity alone.
Term limitRange(Term result, Term magnitude, const Format &format, bool towardZero) {
  bool roundsUp = !format.isEight() && !towardZero;
  uint32_t limit = roundsUp ? format.infinity() : format.largest();
  result = select(result < limit, result, limit);
  if (towardZero && format.special == Special::Ieee)
    result = select(magnitude == kInfinityBits, format.infinity(), result);
  return result;
}

Term narrowByBits(Term value, const Format &format, bool towardZero) {
  Term source = bits(value), magnitude = source & 0x7fffffff;
  Term sign = (source >> (32 - format.width)) & format.signMask();
  Term result = towardZero ? roundTowardZero(magnitude, format) : roundToNearest(magnitude, format);
  result = limitRange(result, magnitude, format, towardZero);
  Term isNan = magnitude > kInfinityBits;
  if (format.special == Special::UnsignedZero) {
    result = select(result == 0, result, result | sign);
    return resize(select(isNan, 0x80, result), 8);
  }
  // A NaN of f16 keeps its first bits, as by the processors that have an instruction for it.
  result = format.isEight() ? select(isNan, format.magnitudeMask(), result)
                            : select(isNan, magnitude >> format.shift() & 0x3ff | 0x7e00, result);
  return resize(result | sign, format.width);
}

Term narrowToHalf(Term value) {
  llvm::IRBuilderBase &builder = value.code->builder;
  llvm::Value *half = builder.CreateFPTrunc(value.value, value.typeOf(builder.getHalfTy()));
  return value.with(builder.CreateBitCast(half, value.integerType(16)));
}

Term narrowToBrain(Term value, bool towardZero) {
  Term source = bits(value);
  Term rounded = towardZero ? source : source + 0x7fff + (source >> 16 & 1);
  return resize(select(isNaN(value), source | 0x400000, rounded) >> 16, 16);
}

} // namespace

llvm::Value *widen(llvm::IRBuilderBase &builder, const MathTarget &target, llvm::Value *bits, NarrowFloat type) {
  MathCode code{builder, target};
  Term narrow(code, bits);
  Format format = formatOf(type);
  if (type == NarrowFloat::BF16)
    return asFloat(resize(narrow, 32) << 16).value;
  Term value = goesThroughHalf(format, target) ? widenThroughHalf(narrow, format) : widenByBits(narrow, format);
  return format.isEight() ? withQuietNaN(value, narrow, format).value : value.value;
}

llvm::Value *narrow(llvm::IRBuilderBase &builder, const MathTarget &target, llvm::Value *value, NarrowFloat type,
                    bool towardZero) {
  MathCode code{builder, target};
  Term wide(code, value);
  if (type == NarrowFloat::BF16)
    return narrowToBrain(wide, towardZero).value;
  if (type == NarrowFloat::F16 && target.hasF16c && !towardZero)
    return narrowToHalf(wide).value;
  return narrowByBits(wide, formatOf(type), towardZero).value;
}

} // namespace nereid::codegen
