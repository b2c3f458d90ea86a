// CompareKernels.cpp: comparisons, tests of floats and select.
#include "interp/Kernels.h"

#include <cmath>

namespace nereid::interp {

template <bool isSigned, auto function> static constexpr KernelRow integerRow(std::string_view name) {
  constexpr auto loop = []<typename T>(T) {
    return &binary<bool, T, [](T a, T b) {
      if constexpr (isSigned)
        return function(asSigned(a), asSigned(b));
      else
        return function(a, b);
    }>;
  };
  return {name, loop(bool()), loop(uint8_t()), loop(uint16_t()), loop(uint32_t()), loop(uint64_t())};
}
template <auto function> static constexpr KernelRow floatRow(std::string_view name) {
  return {.name = name,
          .f32 = binary<bool, float, [](float a, float b) { return function(a, b); }>,
          .f64 = binary<bool, double, [](double a, double b) { return function(a, b); }>};
}
template <auto function> static constexpr KernelRow testRow(std::string_view name) {
  return {.name = name,
          .f32 = unary<bool, float, [](float a) { return function(a); }>,
          .f64 = unary<bool, double, [](double a) { return function(a); }>};
}

// Comparing a value with itself for "is not NaN" lets the loop vectorize.
static constexpr auto ordered = [](auto a, auto b) { return (a == a) & (b == b); };
static constexpr auto equal = [](auto a, auto b) { return a == b; };
static constexpr auto different = [](auto a, auto b) { return a != b; };
static constexpr auto less = [](auto a, auto b) { return a < b; };
static constexpr auto lessEqual = [](auto a, auto b) { return a <= b; };
static constexpr auto greater = [](auto a, auto b) { return a > b; };
static constexpr auto greaterEqual = [](auto a, auto b) { return a >= b; };

template <typename T>
static void select(void *result, const void *condition, const void *a, const void *b, size_t count) {
  auto *to = static_cast<T *>(result);
  auto *choose = static_cast<const bool *>(condition);
  auto *x = static_cast<const T *>(a), *y = static_cast<const T *>(b);
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i] = choose[i] ? x[i] : y[i];
}

std::initializer_list<KernelRow> compareKernels() {
  static const std::initializer_list<KernelRow> kRows = {
      integerRow<false, equal>("arith.cmpi.eq"),
      integerRow<false, different>("arith.cmpi.ne"),
      integerRow<true, less>("arith.cmpi.slt"),
      integerRow<true, lessEqual>("arith.cmpi.sle"),
      integerRow<true, greater>("arith.cmpi.sgt"),
      integerRow<true, greaterEqual>("arith.cmpi.sge"),
      integerRow<false, less>("arith.cmpi.ult"),
      integerRow<false, lessEqual>("arith.cmpi.ule"),
      integerRow<false, greater>("arith.cmpi.ugt"),
      integerRow<false, greaterEqual>("arith.cmpi.uge"),
      floatRow<[](auto, auto) { return false; }>("arith.cmpf.false"),
      floatRow<equal>("arith.cmpf.oeq"),
      floatRow<greater>("arith.cmpf.ogt"),
      floatRow<greaterEqual>("arith.cmpf.oge"),
      floatRow<less>("arith.cmpf.olt"),
      floatRow<lessEqual>("arith.cmpf.ole"),
      floatRow<[](auto a, auto b) { return (a < b) | (a > b); }>("arith.cmpf.one"),
      floatRow<ordered>("arith.cmpf.ord"),
      floatRow<[](auto a, auto b) { return !((a < b) | (a > b)); }>("arith.cmpf.ueq"),
      floatRow<[](auto a, auto b) { return !(a <= b); }>("arith.cmpf.ugt"),
      floatRow<[](auto a, auto b) { return !(a < b); }>("arith.cmpf.uge"),
      floatRow<[](auto a, auto b) { return !(a >= b); }>("arith.cmpf.ult"),
      floatRow<[](auto a, auto b) { return !(a > b); }>("arith.cmpf.ule"),
      floatRow<different>("arith.cmpf.une"),
      floatRow<[](auto a, auto b) { return !ordered(a, b); }>("arith.cmpf.uno"),
      floatRow<[](auto, auto) { return true; }>("arith.cmpf.true"),
      testRow<[](auto a) { return a != a; }>("math.isnan"),
      testRow<[](auto a) { return std::isinf(a); }>("math.isinf"),
      testRow<[](auto a) { return std::isfinite(a); }>("math.isfinite"),
      testRow<[](auto a) { return std::isnormal(a); }>("math.isnormal"),
      {"arith.select", select<uint8_t>, select<uint8_t>, select<uint16_t>, select<uint32_t>, select<uint64_t>,
       select<uint32_t>, select<uint64_t>},
  };
  return kRows;
}

} // namespace nereid::interp
