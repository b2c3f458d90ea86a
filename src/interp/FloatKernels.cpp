// FloatKernels.cpp: float arithmetic, each op rounded once to nearest even.
//
// minnumf/maxnumf ignore one NaN, minimumf/maximumf give NaN for any; all of them take -0 as smaller than +0.
#include "interp/Kernels.h"

#include "interp/NarrowFloat.h"

#include <cmath>

namespace nereid::interp {

template <auto function> static constexpr KernelRow unaryRow(std::string_view name) {
  return {.name = name,
          .f32 = unary<float, float, [](float a) { return function(a); }>,
          .f64 = unary<double, double, [](double a) { return function(a); }>};
}
template <auto function> static constexpr KernelRow binaryRow(std::string_view name) {
  return {.name = name,
          .f32 = binary<float, float, [](float a, float b) { return function(a, b); }>,
          .f64 = binary<double, double, [](double a, double b) { return function(a, b); }>};
}

static constexpr auto larger = [](auto a, auto b) { return a == b ? (std::signbit(a) ? b : a) : (a > b ? a : b); };
static constexpr auto smaller = [](auto a, auto b) { return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b); };
static constexpr auto maxNumber = [](auto a, auto b) { return b != b ? a : (a != a ? b : larger(a, b)); };
static constexpr auto minNumber = [](auto a, auto b) { return b != b ? a : (a != a ? b : smaller(a, b)); };
static constexpr auto maximum = [](auto a, auto b) { return a != a ? a : (b != b ? b : larger(a, b)); };
static constexpr auto minimum = [](auto a, auto b) { return a != a ? a : (b != b ? b : smaller(a, b)); };

// a * b + c for narrow floats held in f32: the product is exact in f64, and the sum is rounded to odd twice over, so
// that rounding to the narrow format afterwards is the only rounding.
static float fusedNarrow(float a, float b, float c) {
  double product = double(a) * double(b), sum = product + double(c);
  double back = sum - product;
  double lost = (product - (sum - back)) + (double(c) - back);
  if (lost != 0 && std::isfinite(sum)) {
    uint64_t bits = std::bit_cast<uint64_t>(sum);
    if (!(bits & 1))
      sum = std::bit_cast<double>((lost > 0) == (sum > 0) ? bits | 1 : bits - 1);
  }
  return roundToOdd(sum);
}

std::initializer_list<KernelRow> floatKernels() {
  static const std::initializer_list<KernelRow> kRows = {
      unaryRow<[](auto a) { return -a; }>("arith.negf"),
      binaryRow<[](auto a, auto b) { return a + b; }>("arith.addf"),
      binaryRow<[](auto a, auto b) { return a - b; }>("arith.subf"),
      binaryRow<[](auto a, auto b) { return a * b; }>("arith.mulf"),
      binaryRow<[](auto a, auto b) { return a / b; }>("arith.divf"),
      binaryRow<[](auto a, auto b) { return a / b; }>("tile.div_rn"),
      binaryRow<[](auto a, auto b) { return std::fmod(a, b); }>("arith.remf"),
      binaryRow<maxNumber>("arith.maxnumf"),
      binaryRow<minNumber>("arith.minnumf"),
      binaryRow<maximum>("arith.maximumf"),
      binaryRow<minimum>("arith.minimumf"),
      unaryRow<[](auto a) { return std::sqrt(a); }>("math.sqrt"),
      unaryRow<[](auto a) { return std::sqrt(a); }>("tile.sqrt_rn"),
      unaryRow<[](auto a) { return std::fabs(a); }>("math.absf"),
      unaryRow<[](auto a) { return std::floor(a); }>("math.floor"),
      unaryRow<[](auto a) { return std::ceil(a); }>("math.ceil"),
      unaryRow<[](auto a) { return std::trunc(a); }>("math.trunc"),
      unaryRow<[](auto a) { return std::round(a); }>("math.round"),
      unaryRow<[](auto a) { return std::nearbyint(a); }>("math.roundeven"),
      binaryRow<[](auto a, auto b) { return std::copysign(a, b); }>("math.copysign"),
      {.name = "math.fma",
       .f32 = ternary<float, float, [](float a, float b, float c) { return std::fma(a, b, c); }>,
       .f64 = ternary<double, double, [](double a, double b, double c) { return std::fma(a, b, c); }>},
      {.name = "math.fma.narrow", .f32 = ternary<float, float, fusedNarrow>},
      {.name = "math.clampf",
       .f32 = ternary<float, float, [](float a, float low, float high) { return minNumber(maxNumber(a, low), high); }>,
       .f64 = ternary<double, double,
                      [](double a, double low, double high) { return minNumber(maxNumber(a, low), high); }>},
  };
  return kRows;
}

} // namespace nereid::interp
