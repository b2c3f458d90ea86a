// CastKernels.cpp: conversions between integers and floats, and the search for a kernel by name.
//
// Float to integer cuts off the fraction; what does not fit becomes the nearest integer that does, and NaN becomes 0.
#include "interp/Kernels.h"

#include "interp/NarrowFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace nereid::interp {

template <typename T> static int64_t signedValue(T value) { return asSigned(value); }

template <typename R, typename T> static Kernel integerCast(std::string_view name) {
  if (name == "arith.extsi")
    return unary<R, T, [](T a) { return fromInteger<R>(uint64_t(signedValue(a))); }>;
  return unary<R, T, [](T a) { return fromInteger<R>(uint64_t(a)); }>;
}

// Round an integer to f32 to odd: cut to 40 bits with a sticky last one, which f64 holds exactly.
static float oddFromUnsigned(uint64_t magnitude) {
  unsigned shift = magnitude >> 40 ? 24 : 0;
  uint64_t kept = magnitude >> shift, lost = magnitude & ((uint64_t(1) << shift) - 1);
  return roundToOdd(double(kept | (lost != 0)) * (shift ? 16777216.0 : 1.0));
}
static float oddFromSigned(int64_t value) {
  return value < 0 ? -oddFromUnsigned(0 - uint64_t(value)) : oddFromUnsigned(uint64_t(value));
}

template <typename T> static Kernel fromIntegerCast(bool isSigned, Element to) {
  if (to == Element::F64)
    return isSigned ? unary<double, T, [](T a) { return double(signedValue(a)); }>
                    : unary<double, T, [](T a) { return double(a); }>;
  if (to == Element::F32)
    return isSigned ? unary<float, T, [](T a) { return float(signedValue(a)); }>
                    : unary<float, T, [](T a) { return float(a); }>;
  return isSigned ? unary<float, T, [](T a) { return oddFromSigned(signedValue(a)); }>
                  : unary<float, T, [](T a) { return oddFromUnsigned(a); }>;
}

// The bounds are exact as doubles except for 64 bits, where the upper one rounds up to a power of two: hence `>=`.
template <typename Integer, typename F> static Integer saturate(F value) {
  if (value != value)
    return 0;
  constexpr F low = F(std::numeric_limits<Integer>::min()), high = F(std::numeric_limits<Integer>::max());
  if (value <= low)
    return std::numeric_limits<Integer>::min();
  return value >= high ? std::numeric_limits<Integer>::max() : Integer(value);
}

template <typename R, typename F> static Kernel toIntegerCast(bool isSigned) {
  if constexpr (std::is_same_v<R, bool>) {
    if (isSigned)
      return unary<bool, F, [](F a) { return a <= F(-1); }>;
    return unary<bool, F, [](F a) { return a >= F(1); }>;
  } else {
    if (isSigned)
      return unary<R, F, [](F a) { return R(saturate<std::make_signed_t<R>>(a)); }>;
    return unary<R, F, [](F a) { return saturate<R>(a); }>;
  }
}

static float towardZero(double value) {
  float nearest = float(value);
  return std::fabs(double(nearest)) > std::fabs(value) ? std::nextafter(nearest, 0.0f) : nearest;
}

// Calls `function` with a value of the storage type of an integer element.
template <typename Function> static Kernel withInteger(Element element, Function function) {
  switch (element) {
  case Element::I1: return function(bool());
  case Element::I8: return function(uint8_t());
  case Element::I16: return function(uint16_t());
  case Element::I32: return function(uint32_t());
  default: return function(uint64_t());
  }
}

static Kernel findFloatCast(Element from, Element to, bool cut) {
  bool fromDouble = from == Element::F64;
  if (to == Element::F64)
    return fromDouble ? nullptr : unary<double, float, [](float a) { return double(a); }>;
  if (!fromDouble)
    return unary<float, float, [](float a) { return a; }>;
  if (cut)
    return unary<float, double, towardZero>;
  return to == Element::F32 ? unary<float, double, [](double a) { return float(a); }>
                            : unary<float, double, roundToOdd>;
}

Kernel findCast(std::string_view name, Element from, Element to, bool towardZero) {
  if (isFloat(from) && isFloat(to))
    return findFloatCast(from, to, towardZero);
  if (isFloat(from))
    return withInteger(to, [&]<typename R>(R) {
      bool isSigned = name == "arith.fptosi";
      return from == Element::F64 ? toIntegerCast<R, double>(isSigned) : toIntegerCast<R, float>(isSigned);
    });
  if (isFloat(to))
    return withInteger(from, [&]<typename T>(T) { return fromIntegerCast<T>(name == "arith.sitofp", to); });
  return withInteger(
      from, [&]<typename T>(T) { return withInteger(to, [&]<typename R>(R) { return integerCast<R, T>(name); }); });
}

static Kernel pick(const KernelRow &row, Element element) {
  switch (element) {
  case Element::I1: return row.i1;
  case Element::I8: return row.i8;
  case Element::I16: return row.i16;
  case Element::I32: return row.i32;
  case Element::I64:
  case Element::Pointer: return row.i64;
  case Element::F64: return row.f64;
  case Element::Descriptor: return nullptr;
  default: return row.f32;
  }
}

Kernel findKernel(std::string_view name, Element element) {
  static const auto kRows = [] {
    std::unordered_map<std::string_view, KernelRow> rows;
    for (auto family : {integerKernels(), floatKernels(), mathKernels(), compareKernels()})
      for (const KernelRow &row : family)
        rows.emplace(row.name, row);
    return rows;
  }();
  auto found = kRows.find(name);
  return found == kRows.end() ? nullptr : pick(found->second, element);
}

} // namespace nereid::interp
