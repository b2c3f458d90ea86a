// IntegerKernels.cpp: integer arithmetic. Results wrap.
//
// What the hardware leaves open is defined here: shifting by the width or more gives 0 (or the sign, for shrsi);
// dividing by zero gives all ones, with the dividend as the remainder; the smallest number divided by -1 is itself,
// remainder 0.
#include "interp/Kernels.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace nereid::interp {

// `function` works on unsigned values as wide as 64 bits; what does not fit is cut off.
template <auto function> static constexpr KernelRow unsignedRow(std::string_view name) {
  constexpr auto loop = []<typename T>(T) {
    return &binary<T, T, [](T a, T b) { return fromInteger<T>(function(uint64_t(a), uint64_t(b))); }>;
  };
  return {name, loop(bool()), loop(uint8_t()), loop(uint16_t()), loop(uint32_t()), loop(uint64_t())};
}

// `function` works on values of the element's own type, signed.
template <auto function> static constexpr KernelRow signedRow(std::string_view name) {
  constexpr auto loop = []<typename T>(T) {
    return &binary<T, T,
                   [](T a, T b) { return fromInteger<T>(uint64_t(int64_t(function(asSigned(a), asSigned(b))))); }>;
  };
  return {name, loop(bool()), loop(uint8_t()), loop(uint16_t()), loop(uint32_t()), loop(uint64_t())};
}

// Shifts need the width: `function(value, amount, width)`.
template <bool isSigned, auto function> static constexpr KernelRow shiftRow(std::string_view name) {
  constexpr auto loop = []<typename T>(T) {
    return &binary<T, T, [](T a, T b) {
      constexpr unsigned width = std::is_same_v<T, bool> ? 1 : 8 * sizeof(T);
      uint64_t value = isSigned ? uint64_t(int64_t(asSigned(a))) : uint64_t(a);
      return fromInteger<T>(function(value, uint64_t(b), width));
    }>;
  };
  return {name, loop(bool()), loop(uint8_t()), loop(uint16_t()), loop(uint32_t()), loop(uint64_t())};
}

// The high half of a product: `function` multiplies in twice the width.
template <bool isSigned> static constexpr KernelRow highProductRow(std::string_view name) {
  constexpr auto loop = []<typename T>(T) {
    return &binary<T, T, [](T a, T b) {
      constexpr unsigned width = std::is_same_v<T, bool> ? 1 : 8 * sizeof(T);
      if constexpr (isSigned)
        return fromInteger<T>(uint64_t((__int128(asSigned(a)) * __int128(asSigned(b))) >> width));
      else
        return fromInteger<T>(uint64_t((static_cast<unsigned __int128>(a) * b) >> width));
    }>;
  };
  return {name, loop(bool()), loop(uint8_t()), loop(uint16_t()), loop(uint32_t()), loop(uint64_t())};
}

template <auto function> static constexpr KernelRow bitCountRow(std::string_view name) {
  constexpr auto loop = []<typename T>(T) {
    return &unary<T, T, [](T a) { return fromInteger<T>(uint64_t(function(a))); }>;
  };
  return {name, nullptr, loop(uint8_t()), loop(uint16_t()), loop(uint32_t()), loop(uint64_t())};
}

static constexpr auto divideSigned = [](auto a, auto b) -> int64_t {
  if (b == 0)
    return -1;
  return b == -1 ? int64_t(0 - uint64_t(int64_t(a))) : int64_t(a) / int64_t(b);
};
static constexpr auto remainderSigned = [](auto a, auto b) -> int64_t {
  if (b == 0)
    return a;
  return b == -1 ? 0 : int64_t(a) % int64_t(b);
};
static constexpr auto floorDivide = [](auto a, auto b) -> int64_t {
  int64_t quotient = divideSigned(a, b);
  return b != 0 && remainderSigned(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
};
static constexpr auto ceilDivide = [](auto a, auto b) -> int64_t {
  int64_t quotient = divideSigned(a, b);
  return b != 0 && remainderSigned(a, b) != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
};
static constexpr auto power = [](auto base, auto exponent) -> int64_t {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  uint64_t result = 1, square = uint64_t(int64_t(base));
  for (uint64_t left = uint64_t(exponent); left; left >>= 1, square *= square)
    result *= left & 1 ? square : 1;
  return int64_t(result);
};

std::initializer_list<KernelRow> integerKernels() {
  static const std::initializer_list<KernelRow> kRows = {
      unsignedRow<[](uint64_t a, uint64_t b) { return a + b; }>("arith.addi"),
      unsignedRow<[](uint64_t a, uint64_t b) { return a - b; }>("arith.subi"),
      unsignedRow<[](uint64_t a, uint64_t b) { return a * b; }>("arith.muli"),
      unsignedRow<[](uint64_t a, uint64_t b) { return a & b; }>("arith.andi"),
      unsignedRow<[](uint64_t a, uint64_t b) { return a | b; }>("arith.ori"),
      unsignedRow<[](uint64_t a, uint64_t b) { return a ^ b; }>("arith.xori"),
      unsignedRow<[](uint64_t a, uint64_t b) { return b ? a / b : ~uint64_t(0); }>("arith.divui"),
      unsignedRow<[](uint64_t a, uint64_t b) { return b ? a % b : a; }>("arith.remui"),
      unsignedRow<[](uint64_t a, uint64_t b) { return b ? a / b + (a % b != 0) : ~uint64_t(0); }>("arith.ceildivui"),
      unsignedRow<[](uint64_t a, uint64_t b) { return std::max(a, b); }>("arith.maxui"),
      unsignedRow<[](uint64_t a, uint64_t b) { return std::min(a, b); }>("arith.minui"),
      signedRow<[](auto a, auto b) { return std::max(a, b); }>("arith.maxsi"),
      signedRow<[](auto a, auto b) { return std::min(a, b); }>("arith.minsi"),
      signedRow<divideSigned>("arith.divsi"),
      signedRow<remainderSigned>("arith.remsi"),
      signedRow<floorDivide>("arith.floordivsi"),
      signedRow<ceilDivide>("arith.ceildivsi"),
      signedRow<power>("math.ipowi"),
      shiftRow<false, [](uint64_t a, uint64_t b, unsigned width) { return b < width ? a << b : 0; }>("arith.shli"),
      shiftRow<false, [](uint64_t a, uint64_t b, unsigned width) { return b < width ? a >> b : 0; }>("arith.shrui"),
      shiftRow<true, [](uint64_t a, uint64_t b,
                        unsigned width) { return uint64_t(int64_t(a) >> (b < width ? b : 63)); }>("arith.shrsi"),
      highProductRow<true>("arith.mulsi_extended.high"),
      highProductRow<false>("arith.mului_extended.high"),
      bitCountRow<[](auto a) { return asSigned(a) < 0 ? 0 - uint64_t(a) : uint64_t(a); }>("math.absi"),
      bitCountRow<[](auto a) { return std::countl_zero(a); }>("math.ctlz"),
      bitCountRow<[](auto a) { return std::countr_zero(a); }>("math.cttz"),
      bitCountRow<[](auto a) { return std::popcount(a); }>("math.ctpop"),
  };
  return kRows;
}

} // namespace nereid::interp
