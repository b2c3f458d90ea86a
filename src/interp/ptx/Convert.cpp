// Convert.cpp: cvt between integers, floats and the packed narrow formats.
#include "interp/ptx/Ptx.h"

#include "interp/Float8.h"
#include "interp/NarrowFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nereid::interp::ptx {

// e2m1 by value: 0 to 6 in steps that double.
static constexpr double kE2M1[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

double toDouble(uint64_t bits, Type type) {
  switch (type.kind) {
  case Kind::Float:
    return type.bits == 16   ? double(f16ToF32(uint16_t(bits)))
           : type.bits == 32 ? double(std::bit_cast<float>(uint32_t(bits)))
                             : std::bit_cast<double>(bits);
  case Kind::BFloat: return bf16ToF32(uint16_t(bits));
  case Kind::E4M3: return decodeFloat8(kE4M3FN, uint8_t(bits));
  case Kind::E5M2: return decodeFloat8(kE5M2, uint8_t(bits));
  case Kind::E2M1: return (bits & 8 ? -1.0 : 1.0) * kE2M1[bits & 7];
  case Kind::Signed: return double(signedOf(bits, type.bits));
  default: return double(bits);
  }
}

static uint64_t encodeE2M1(double value) {
  double magnitude = std::fmin(std::fabs(value), 6.0);
  int best = 0;
  // The nearest; of two equally near, the one with an even last bit.
  for (int i = 1; i < 8; ++i) {
    double gain = std::fabs(magnitude - kE2M1[best]) - std::fabs(magnitude - kE2M1[i]);
    if (gain > 0 || (gain == 0 && i % 2 == 0))
      best = i;
  }
  return uint64_t(best) | (std::signbit(value) ? 8 : 0);
}

// The neighbour of what is nearest in the direction that the operation asks for. `exact` compares with floats.
template <class Float, class Exact> Float directed(Float nearest, Exact exact, const Operation &operation) {
  bool isAbove = Exact(nearest) > exact, isBelow = Exact(nearest) < exact;
  if (operation.has("rz") && (nearest > 0 ? isAbove : isBelow))
    return std::nextafter(nearest, Float(0));
  if (operation.has("rm") && isAbove)
    return std::nextafter(nearest, -std::numeric_limits<Float>::infinity());
  if (operation.has("rp") && isBelow)
    return std::nextafter(nearest, std::numeric_limits<Float>::infinity());
  return nearest;
}

uint64_t fromDouble(double value, Type type, const Operation &operation) {
  if (operation.has("sat"))
    value = value > 0 ? std::fmin(value, 1.0) : 0;
  if (type.kind == Kind::Float && type.bits == 64)
    return std::bit_cast<uint64_t>(value);
  if (type.kind == Kind::Float && type.bits == 32)
    return std::bit_cast<uint32_t>(directed(float(value), value, operation));
  float odd = roundToOdd(value);
  bool cuts = operation.has("rz");
  auto packed = [&](Element element) {
    uint64_t bits = 0;
    packOf(element, cuts ? Narrowing::Cut : Narrowing::Cast)(&bits, &odd, 1);
    return bits;
  };
  switch (type.kind) {
  case Kind::Float: return packed(Element::F16);
  case Kind::BFloat: return packed(Element::BF16);
  case Kind::E4M3: return packed(Element::F8E4M3FN);
  case Kind::E5M2: return packed(Element::F8E5M2);
  default: return encodeE2M1(value);
  }
}

namespace {

bool isFloatKind(Kind kind) { return kind >= Kind::Float && kind <= Kind::E2M1; }

// To an integer: rounded as .rni, .rzi, .rmi or .rpi say, and kept in range. NaN gives 0, and the highest bit alone where one of
// the types has 64 bits.
uint64_t toInteger(double value, Type from, Type type, const Operation &op) {
  if (value != value)
    return from.bits == 64 || type.bits == 64 ? uint64_t(1) << (type.bits - 1) : 0;
  value = op.has("rzi")   ? std::trunc(value)
          : op.has("rmi") ? std::floor(value)
          : op.has("rpi") ? std::ceil(value)
                          : std::nearbyint(value);
  if (type.kind == Kind::Signed) {
    double limit = std::ldexp(1.0, type.bits - 1);
    if (value >= limit)
      return (uint64_t(1) << (type.bits - 1)) - 1;
    return value <= -limit ? uint64_t(1) << (type.bits - 1) : uint64_t(int64_t(value));
  }
  if (value <= 0)
    return 0;
  return value >= std::ldexp(1.0, type.bits) ? lowBits(~uint64_t(0), type.bits) : uint64_t(value);
}

// An integer of 64 bits as a double that rounds to a narrower float as the integer itself would: what a double has no room for is
// marked in its last bit.
double integerToOdd(uint64_t bits, bool isSigned) {
  bool isNegative = isSigned && bits >> 63;
  uint64_t magnitude = isNegative ? 0 - bits : bits;
  if (unsigned excess = std::bit_width(magnitude) > 53 ? unsigned(std::bit_width(magnitude)) - 53 : 0) {
    bool isCut = lowBits(magnitude, excess) != 0;
    magnitude = (magnitude >> excess | (isCut ? 1 : 0)) << excess;
  }
  return isNegative ? -double(magnitude) : double(magnitude);
}

// The nearest integer that the type has.
uint64_t clamped(uint64_t bits, bool isSigned, Type to) {
  bool toSigned = to.kind == Kind::Signed;
  __int128 value = isSigned ? __int128(int64_t(bits)) : __int128(bits), one = 1;
  __int128 most = (one << (to.bits - toSigned)) - 1, least = toSigned ? -most - 1 : 0;
  return uint64_t(std::clamp(value, least, most));
}

// cvt.rna.tf32.f32: 10 bits of mantissa. Of two equally near .rna takes the larger one, .rn the even one.
uint64_t toTf32(float value, const Operation &op) {
  constexpr uint32_t kCut = 0x1fff, kLargest = 0x7f7fe000, kInfinity = 0x7f800000, kNan = 0x7fffffff;
  auto bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = bits & 0x80000000, magnitude = bits ^ sign;
  if (magnitude > kInfinity)
    return kNan;
  if (magnitude < kInfinity)
    magnitude += op.has("rna") ? 0x1000 : op.has("rn") ? 0xfff + (magnitude >> 13 & 1) : 0;
  magnitude &= ~kCut;
  return sign | (op.has("satfinite") ? std::min(magnitude, kLargest) : magnitude);
}

uint64_t convertOne(uint64_t bits, Type from, Type to, const Operation &op) {
  bits = flushed(bits, from, op);
  if (isFloatKind(from.kind) && !isFloatKind(to.kind))
    return toInteger(toDouble(bits, from), from, to, op);
  if (isFloatKind(to.kind)) {
    bool isWide = !isFloatKind(from.kind) && from.bits == 64, isSigned = from.kind == Kind::Signed;
    double value = isWide && to.bits < 64 ? integerToOdd(bits, isSigned) : toDouble(bits, from);
    if (isWide && to.bits == 64)
      value = directed(value, isSigned ? __int128(int64_t(bits)) : __int128(bits), op);
    // A float to an integral float of the same type.
    if (op.has("rni") || op.has("rzi") || op.has("rmi") || op.has("rpi"))
      value = op.has("rzi")   ? std::trunc(value)
              : op.has("rmi") ? std::floor(value)
              : op.has("rpi") ? std::ceil(value)
                              : std::nearbyint(value);
    if (op.has("relu") && !(value > 0))
      value = value != value ? value : 0;
    return op.has("tf32") ? toTf32(float(value), op) : flushed(fromDouble(value, to, op), to, op);
  }
  if (from.kind == Kind::Signed)
    bits = uint64_t(signedOf(bits, from.bits));
  return op.has("sat") ? clamped(bits, from.kind == Kind::Signed, to) : bits;
}

// A register may be wider than the result, which fills it.
bool fillsRegister(const Operation &op) {
  Type to = op.resultType;
  return to.kind == Kind::Signed && to.bits < 32 && to.lanes == 1 && !op.operands[0].isVector;
}

void convert(const Operation &op, uint64_t *r) {
  Type from = op.type, to = op.resultType;
  uint64_t result = 0;
  if (op.operands.size() == 3) {
    // Two values to a pair: the first operand becomes the upper half.
    Type half{to.kind, to.bits};
    result =
        convertOne(read(op, 1, r, from), from, half, op) << to.bits | convertOne(read(op, 2, r, from), from, half, op);
  } else {
    uint64_t value = read(op, 1, r, from);
    for (unsigned lane = 0; lane < to.lanes; ++lane)
      result |=
          convertOne(lowBits(value >> (lane * from.bits), from.bits), {from.kind, from.bits}, {to.kind, to.bits}, op)
          << (lane * to.bits);
  }
  if (fillsRegister(op))
    return write(op, r, uint64_t(signedOf(result, to.bits)), {Kind::Bits, 32});
  write(op, r, result, to);
}

void convertIntegers(const Operation &op, uint64_t *r, unsigned lanes) {
  Type from = op.type, to = op.resultType;
  bool isFilled = fillsRegister(op);
  LaneValues values(op, 1, r, from, lanes);
  writeEach(op, r, lanes, isFilled ? Type{Kind::Bits, 32} : to, [&](unsigned i) {
    uint64_t value = from.kind == Kind::Signed ? uint64_t(signedOf(values.of[i], from.bits)) : values.of[i];
    return isFilled ? uint64_t(signedOf(value, to.bits)) : value;
  });
}

bool isOfIntegers(const Operation &op) {
  return op.operands.size() == 2 && op.type.lanes == 1 && !isFloatKind(op.type.kind) &&
         !isFloatKind(op.resultType.kind) && !op.has("sat");
}

} // namespace

Execute findConversion(const Operation &op) {
  bool takesTwo = op.operands.size() == 3;
  if (op.name != "cvt" || op.operands.size() < 2 || op.operands.size() > 3 || op.operands[0].isImmediate ||
      !op.hasOnly("rn rz rm rp rni rzi rmi rpi ftz sat satfinite relu rna tf32"))
    return nullptr;
  // tf32 is no type of a register: it stands among what is said of a conversion of f32.
  bool isOfF32 = op.type == Type{Kind::Float, 32} && op.resultType == op.type && !takesTwo;
  if (op.has("tf32") ? !isOfF32 || !(op.has("rna") || op.has("rn") || op.has("rz")) : op.has("rna"))
    return nullptr;
  if (takesTwo ? op.resultType.lanes != 2 || op.type.lanes != 1 : op.resultType.lanes != op.type.lanes)
    return nullptr;
  return isOfIntegers(op) ? convertIntegers : inEach<convert>;
}

} // namespace nereid::interp::ptx
