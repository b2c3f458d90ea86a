// MathKernels.cpp: the math dialect's functions, by the C library.
//
// The f32 forms use the float function where glibc's is within about half a unit of the last place, and otherwise round
// the double result.
#include "interp/Kernels.h"

#include <cmath>

namespace nereid::interp {

template <auto single, auto wide> static constexpr KernelRow row(std::string_view name) {
  return {.name = name,
          .f32 = unary<float, float, [](float a) { return single(a); }>,
          .f64 = unary<double, double, [](double a) { return wide(a); }>};
}
// f32 through double.
template <auto wide> static constexpr KernelRow rounded(std::string_view name) {
  return row<[](float a) { return float(wide(double(a))); }, wide>(name);
}

std::initializer_list<KernelRow> mathKernels() {
  static const std::initializer_list<KernelRow> kRows = {
      row<[](float a) { return expf(a); }, [](double a) { return exp(a); }>("math.exp"),
      row<[](float a) { return exp2f(a); }, [](double a) { return exp2(a); }>("math.exp2"),
      row<[](float a) { return logf(a); }, [](double a) { return log(a); }>("math.log"),
      row<[](float a) { return log2f(a); }, [](double a) { return log2(a); }>("math.log2"),
      row<[](float a) { return sinf(a); }, [](double a) { return sin(a); }>("math.sin"),
      row<[](float a) { return cosf(a); }, [](double a) { return cos(a); }>("math.cos"),
      rounded<[](double a) { return log10(a); }>("math.log10"),
      rounded<[](double a) { return log1p(a); }>("math.log1p"),
      rounded<[](double a) { return expm1(a); }>("math.expm1"),
      rounded<[](double a) { return tan(a); }>("math.tan"),
      rounded<[](double a) { return asin(a); }>("math.asin"),
      rounded<[](double a) { return acos(a); }>("math.acos"),
      rounded<[](double a) { return atan(a); }>("math.atan"),
      rounded<[](double a) { return sinh(a); }>("math.sinh"),
      rounded<[](double a) { return cosh(a); }>("math.cosh"),
      rounded<[](double a) { return tanh(a); }>("math.tanh"),
      rounded<[](double a) { return asinh(a); }>("math.asinh"),
      rounded<[](double a) { return acosh(a); }>("math.acosh"),
      rounded<[](double a) { return atanh(a); }>("math.atanh"),
      rounded<[](double a) { return erf(a); }>("math.erf"),
      rounded<[](double a) { return erfc(a); }>("math.erfc"),
      rounded<[](double a) { return cbrt(a); }>("math.cbrt"),
      rounded<[](double a) { return 1 / sqrt(a); }>("math.rsqrt"),
      {.name = "math.atan2",
       .f32 = binary<float, float, [](float y, float x) { return float(atan2(double(y), double(x))); }>,
       .f64 = binary<double, double, [](double y, double x) { return atan2(y, x); }>},
      {.name = "math.powf",
       .f32 = binary<float, float, [](float a, float b) { return powf(a, b); }>,
       .f64 = binary<double, double, [](double a, double b) { return pow(a, b); }>},
  };
  return kRows;
}

} // namespace nereid::interp
