#include "lang/evaluate/Arithmetic.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/Error.h"

#include <cmath>
#include <tuple>

namespace nereid::lang {

namespace {

using Unsigned = unsigned __int128;

Unsigned magnitudeOf(Integer value) { return value < 0 ? -static_cast<Unsigned>(value) : static_cast<Unsigned>(value); }

llvm::APInt wide(Unsigned value, unsigned bits = 320) {
  uint64_t words[] = {uint64_t(value), uint64_t(value >> 64)};
  return llvm::APInt(128, words).zext(bits);
}

// A product modulo m, all below 2 ** 127.
Unsigned multiplyModulo(Unsigned a, Unsigned b, Unsigned m) {
  llvm::APInt product = (wide(a) * wide(b)).urem(wide(m));
  return Unsigned(product.extractBitsAsZExtValue(64, 64)) << 64 | product.extractBitsAsZExtValue(64, 0);
}

} // namespace

void failOverflow(Session &session) {
  session.fail("this integer needs more than 127 bits", {"compile-time integers are bounded"}, "OverflowError");
}

double readFloat(const std::string &text) {
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  llvm::consumeError(value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven).takeError());
  return value.convertToDouble();
}

Integer floorDivide(Integer lhs, Integer rhs) {
  Integer quotient = lhs / rhs;
  return (lhs % rhs != 0 && (lhs < 0) != (rhs < 0)) ? quotient - 1 : quotient;
}

Integer floorModulo(Integer lhs, Integer rhs) {
  Integer remainder = lhs % rhs;
  return (remainder != 0 && (remainder < 0) != (rhs < 0)) ? remainder + rhs : remainder;
}

double trueDivide(Integer lhs, Integer rhs) {
  Unsigned a = magnitudeOf(lhs), b = magnitudeOf(rhs), exact = Unsigned(1) << 53;
  if (a <= exact && b <= exact)
    return double(lhs) / double(rhs);
  // A quotient of at least 64 bits, whose last bit says that there is a rest, is rounded as the exact one would be.
  constexpr unsigned kShift = 192;
  llvm::APInt numerator = wide(a, 512).shl(kShift), denominator = wide(b, 512), rest;
  llvm::APInt quotient;
  llvm::APInt::udivrem(numerator, denominator, quotient, rest);
  if (!rest.isZero())
    quotient.setBit(0);
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  value.convertFromAPInt(quotient, false, llvm::APFloat::rmNearestTiesToEven);
  double result = std::ldexp(value.convertToDouble(), -int(kShift)); // not subnormal: at least 2 ** -127
  return (lhs < 0) != (rhs < 0) ? -result : result;
}

Integer integerPower(Session &session, Integer base, Integer exponent) {
  if (base == 0 || base == 1)
    return exponent == 0 ? 1 : base;
  if (base == -1)
    return exponent % 2 == 0 ? 1 : -1;
  Integer result = 1;
  for (Integer i = 0; i < exponent; ++i) // an overflow ends it after 127 rounds at most
    if (__builtin_mul_overflow(result, base, &result))
      failOverflow(session);
  return result;
}

// The number that gives 1 with `value` modulo m: Euclid's algorithm, with the factors of `value` alone.
static Integer inverseModulo(Session &session, Integer value, Integer m) {
  Integer a = floorModulo(value, m), b = m, factor = 1, next = 0;
  while (b) {
    Integer quotient = a / b;
    std::tie(a, b) = std::pair(b, a - quotient * b);
    std::tie(factor, next) = std::pair(next, factor - quotient * next);
  }
  if (a != 1)
    session.fail("base is not invertible for the given modulus");
  return floorModulo(factor, m);
}

Integer powerModulo(Session &session, Integer base, Integer exponent, Integer modulus) {
  if (modulus == 0)
    session.fail("the modulus of `pow` cannot be 0");
  if (modulus == -1 || modulus == 1)
    return 0;
  if (modulus == -modulus)
    failOverflow(session);
  Integer m = modulus < 0 ? -modulus : modulus;
  if (exponent < 0) {
    base = inverseModulo(session, base, m);
    exponent = exponent == -exponent ? (failOverflow(session), 0) : -exponent;
  }
  Unsigned result = 1, square = Unsigned(floorModulo(base, m));
  for (; exponent; exponent >>= 1) {
    session.step(2);
    if (exponent & 1)
      result = multiplyModulo(result, square, Unsigned(m));
    square = multiplyModulo(square, square, Unsigned(m));
  }
  return floorModulo(Integer(result), modulus);
}

Integer shiftLeft(Session &session, Integer value, Integer count) {
  if (value == 0)
    return 0;
  if (count >= 127)
    failOverflow(session);
  Integer factor = Integer(1) << int(count), result;
  if (__builtin_mul_overflow(value, factor, &result))
    failOverflow(session);
  return result;
}

Integer wholeOf(Session &session, double value) {
  if (std::isnan(value))
    session.fail("cannot convert nan to an integer");
  if (std::isinf(value))
    session.fail("cannot convert infinity to an integer", {}, "OverflowError");
  if (std::abs(value) >= 0x1p127)
    failOverflow(session);
  return Integer(value);
}

double floatModulo(double lhs, double rhs) {
  double remainder = std::fmod(lhs, rhs);
  if (remainder == 0)
    return std::copysign(0.0, rhs);
  return (remainder < 0) != (rhs < 0) ? remainder + rhs : remainder;
}

// floor(lhs / rhs) would round twice: Python subtracts the remainder first.
double floatFloorDivide(double lhs, double rhs) {
  double remainder = std::fmod(lhs, rhs), quotient = (lhs - remainder) / rhs;
  if (remainder != 0 && (remainder < 0) != (rhs < 0))
    quotient -= 1;
  if (quotient == 0)
    return std::copysign(0.0, lhs / rhs);
  double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

double floatPower(Session &session, double base, double exponent) {
  bool areFinite = std::isfinite(base) && std::isfinite(exponent);
  if (base == 0 && exponent < 0 && areFinite)
    session.fail("0.0 cannot be raised to a negative power", {}, "ZeroDivisionError");
  if (base < 0 && areFinite && exponent != std::floor(exponent))
    session.fail("a negative number to a fractional power is complex, which is not supported", {},
                 "NotImplementedError");
  double result = std::pow(base, exponent);
  if (areFinite && std::isinf(result))
    session.fail("the result of `**` is too large for a float", {}, "OverflowError");
  return result;
}

double roundFloat(Session &session, double value, Integer digits) {
  constexpr int kMostDigits = 323, kLeastDigits = -308; // beyond them nothing is cut, or all of it
  if (!std::isfinite(value) || digits > kMostDigits)
    return value;
  if (digits < kLeastDigits)
    return std::copysign(0.0, value);
  double result;
  if (digits >= 0) {
    char buffer[1024];
    snprintf(buffer, sizeof buffer, "%.*f", int(digits), value);
    result = readFloat(buffer);
  } else {
    // The exact value of the part before the point, and whether anything stands behind it.
    char buffer[512];
    double magnitude = std::abs(value);
    snprintf(buffer, sizeof buffer, "%.0f", std::floor(magnitude));
    std::string text = buffer;
    size_t cut = size_t(-digits);
    text.insert(0, text.size() <= cut ? cut + 1 - text.size() : 0, '0');
    std::string kept = "0" + text.substr(0, text.size() - cut), gone = text.substr(text.size() - cut);
    bool isExact = magnitude == std::floor(magnitude) && gone.find_first_not_of('0', 1) == std::string::npos;
    bool roundsUp = gone[0] > '5' || (gone[0] == '5' && (!isExact || (kept.back() - '0') % 2));
    for (size_t i = kept.size(); roundsUp && i-- > 0; kept[i] = '0')
      if (kept[i] != '9') {
        ++kept[i];
        break;
      }
    result = std::copysign(readFloat(kept + std::string(cut, '0')), value);
  }
  if (std::isinf(result))
    session.fail("the rounded value is too large for a float", {}, "OverflowError");
  return result;
}

Integer roundInteger(Session &session, Integer value, Integer digits) {
  if (digits >= 0)
    return value;
  if (digits < -38)
    return 0;
  Unsigned unit = 1, magnitude = magnitudeOf(value);
  for (Integer i = 0; i < -digits; ++i)
    unit *= 10;
  Unsigned whole = magnitude / unit, rest = magnitude % unit, half = unit / 2;
  whole += rest > half || (rest == half && whole % 2);
  Unsigned rounded = whole * unit;
  if (rounded > Unsigned(1) << 127 || (rounded == Unsigned(1) << 127 && value >= 0))
    failOverflow(session);
  return value < 0 ? Integer(-rounded) : Integer(rounded);
}

} // namespace nereid::lang
