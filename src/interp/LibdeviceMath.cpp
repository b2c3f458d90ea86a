// LibdeviceMath.cpp: device functions that the C library has too. The f32 forms round the double result; the "fast"
// ones, which trade accuracy for time on a GPU, give the accurate value.
#include "interp/Libdevice.h"

#include <cmath>

namespace nereid::interp {

namespace {

// Both forms of a function of one or two floats.
template <auto wide> void addUnary(DeviceFunctions &f, std::string_view single, std::string_view dbl) {
  addDevice<float(float), [](float a) { return float(wide(double(a))); }>(f, single);
  addDevice<double(double), wide>(f, dbl);
}
template <auto wide> void addBinary(DeviceFunctions &f, std::string_view single, std::string_view dbl) {
  addDevice<float(float, float), [](float a, float b) { return float(wide(double(a), double(b))); }>(f, single);
  addDevice<double(double, double), wide>(f, dbl);
}
// Functions that are exact, or that depend on the width: called in their own type.
template <auto function> void addOwn(DeviceFunctions &f, std::string_view single, std::string_view dbl) {
  addDevice<float(float), [](float a) { return function(a); }>(f, single);
  addDevice<double(double), [](double a) { return function(a); }>(f, dbl);
}
template <auto function> void addOwnBinary(DeviceFunctions &f, std::string_view single, std::string_view dbl) {
  addDevice<float(float, float), [](float a, float b) { return function(a, b); }>(f, single);
  addDevice<double(double, double), [](double a, double b) { return function(a, b); }>(f, dbl);
}
template <auto function> void addTest(DeviceFunctions &f, std::string_view single, std::string_view dbl) {
  addDevice<int32_t(float), [](float a) { return int32_t(function(a)); }>(f, single);
  addDevice<int32_t(double), [](double a) { return int32_t(function(a)); }>(f, dbl);
}
template <auto wide> void addFast(DeviceFunctions &f, std::string_view symbol) {
  addDevice<float(float), [](float a) { return float(wide(double(a))); }>(f, symbol);
}

double powerOfTen(double a) { return ::exp10(a); }

void addExponentials(DeviceFunctions &f) {
  addUnary<[](double a) { return exp(a); }>(f, "__nv_expf", "__nv_exp");
  addUnary<[](double a) { return exp2(a); }>(f, "__nv_exp2f", "__nv_exp2");
  addUnary<powerOfTen>(f, "__nv_exp10f", "__nv_exp10");
  addUnary<[](double a) { return expm1(a); }>(f, "__nv_expm1f", "__nv_expm1");
  addUnary<[](double a) { return log(a); }>(f, "__nv_logf", "__nv_log");
  addUnary<[](double a) { return log2(a); }>(f, "__nv_log2f", "__nv_log2");
  addUnary<[](double a) { return log10(a); }>(f, "__nv_log10f", "__nv_log10");
  addUnary<[](double a) { return log1p(a); }>(f, "__nv_log1pf", "__nv_log1p");
  addBinary<[](double a, double b) { return pow(a, b); }>(f, "__nv_powf", "__nv_pow");
  addDevice<float(float, int32_t), [](float a, int32_t b) { return float(pow(double(a), b)); }>(f, "__nv_powif");
  addDevice<double(double, int32_t), [](double a, int32_t b) { return pow(a, b); }>(f, "__nv_powi");
  addFast<[](double a) { return exp(a); }>(f, "__nv_fast_expf");
  addFast<powerOfTen>(f, "__nv_fast_exp10f");
  addFast<[](double a) { return log(a); }>(f, "__nv_fast_logf");
  addFast<[](double a) { return log2(a); }>(f, "__nv_fast_log2f");
  addFast<[](double a) { return log10(a); }>(f, "__nv_fast_log10f");
  addDevice<float(float, float), [](float a, float b) { return float(pow(double(a), double(b))); }>(f,
                                                                                                    "__nv_fast_powf");
  addDevice<float(float, float), [](float a, float b) { return a / b; }>(f, "__nv_fast_fdividef");
}

void addTrigonometry(DeviceFunctions &f) {
  addUnary<[](double a) { return sin(a); }>(f, "__nv_sinf", "__nv_sin");
  addUnary<[](double a) { return cos(a); }>(f, "__nv_cosf", "__nv_cos");
  addUnary<[](double a) { return tan(a); }>(f, "__nv_tanf", "__nv_tan");
  addUnary<[](double a) { return asin(a); }>(f, "__nv_asinf", "__nv_asin");
  addUnary<[](double a) { return acos(a); }>(f, "__nv_acosf", "__nv_acos");
  addUnary<[](double a) { return atan(a); }>(f, "__nv_atanf", "__nv_atan");
  addUnary<[](double a) { return sinh(a); }>(f, "__nv_sinhf", "__nv_sinh");
  addUnary<[](double a) { return cosh(a); }>(f, "__nv_coshf", "__nv_cosh");
  addUnary<[](double a) { return tanh(a); }>(f, "__nv_tanhf", "__nv_tanh");
  addUnary<[](double a) { return asinh(a); }>(f, "__nv_asinhf", "__nv_asinh");
  addUnary<[](double a) { return acosh(a); }>(f, "__nv_acoshf", "__nv_acosh");
  addUnary<[](double a) { return atanh(a); }>(f, "__nv_atanhf", "__nv_atanh");
  addBinary<[](double a, double b) { return atan2(a, b); }>(f, "__nv_atan2f", "__nv_atan2");
  addFast<[](double a) { return sin(a); }>(f, "__nv_fast_sinf");
  addFast<[](double a) { return cos(a); }>(f, "__nv_fast_cosf");
  addFast<[](double a) { return tan(a); }>(f, "__nv_fast_tanf");
}

void addRounding(DeviceFunctions &f) {
  addOwn<[](auto a) { return std::fabs(a); }>(f, "__nv_fabsf", "__nv_fabs");
  addOwn<[](auto a) { return std::floor(a); }>(f, "__nv_floorf", "__nv_floor");
  addOwn<[](auto a) { return std::ceil(a); }>(f, "__nv_ceilf", "__nv_ceil");
  addOwn<[](auto a) { return std::trunc(a); }>(f, "__nv_truncf", "__nv_trunc");
  addOwn<[](auto a) { return std::round(a); }>(f, "__nv_roundf", "__nv_round");
  addOwn<[](auto a) { return std::nearbyint(a); }>(f, "__nv_rintf", "__nv_rint");
  addOwn<[](auto a) { return std::nearbyint(a); }>(f, "__nv_nearbyintf", "__nv_nearbyint");
  addOwn<[](auto a) { return std::logb(a); }>(f, "__nv_logbf", "__nv_logb");
  addTest<[](auto a) { return std::ilogb(a); }>(f, "__nv_ilogbf", "__nv_ilogb");
  addTest<[](auto a) { return std::isnan(a); }>(f, "__nv_isnanf", "__nv_isnand");
  addTest<[](auto a) { return std::isinf(a); }>(f, "__nv_isinff", "__nv_isinfd");
  addTest<[](auto a) { return std::isfinite(a); }>(f, "__nv_finitef", "__nv_isfinited");
  addTest<[](auto a) { return std::signbit(a); }>(f, "__nv_signbitf", "__nv_signbitd");
  addOwnBinary<[](auto a, auto b) { return std::copysign(a, b); }>(f, "__nv_copysignf", "__nv_copysign");
  addOwnBinary<[](auto a, auto b) { return std::nextafter(a, b); }>(f, "__nv_nextafterf", "__nv_nextafter");
  addOwnBinary<[](auto a, auto b) { return std::fmod(a, b); }>(f, "__nv_fmodf", "__nv_fmod");
  addOwnBinary<[](auto a, auto b) { return std::remainder(a, b); }>(f, "__nv_remainderf", "__nv_remainder");
  addOwnBinary<[](auto a, auto b) { return std::fdim(a, b); }>(f, "__nv_fdimf", "__nv_fdim");
  addOwnBinary<[](auto a, auto b) { return std::fmin(a, b); }>(f, "__nv_fminf", "__nv_fmin");
  addOwnBinary<[](auto a, auto b) { return std::fmax(a, b); }>(f, "__nv_fmaxf", "__nv_fmax");
  addDevice<float(float, int32_t), [](float a, int32_t b) { return std::ldexp(a, b); }>(f, "__nv_ldexpf");
  addDevice<double(double, int32_t), [](double a, int32_t b) { return std::ldexp(a, b); }>(f, "__nv_ldexp");
  addDevice<float(float, int32_t), [](float a, int32_t b) { return std::scalbn(a, b); }>(f, "__nv_scalbnf");
  addDevice<double(double, int32_t), [](double a, int32_t b) { return std::scalbn(a, b); }>(f, "__nv_scalbn");
  addDevice<float(float), [](float a) { return a > 0 ? std::fmin(a, 1.0f) : 0.0f; }>(f, "__nv_saturatef");
}

void addRoots(DeviceFunctions &f) {
  addOwn<[](auto a) { return std::sqrt(a); }>(f, "__nv_sqrtf", "__nv_sqrt");
  addUnary<[](double a) { return 1 / sqrt(a); }>(f, "__nv_rsqrtf", "__nv_rsqrt");
  addFast<[](double a) { return 1 / sqrt(a); }>(f, "__nv_frsqrt_rn");
  addUnary<[](double a) { return cbrt(a); }>(f, "__nv_cbrtf", "__nv_cbrt");
  addUnary<[](double a) { return 1 / cbrt(a); }>(f, "__nv_rcbrtf", "__nv_rcbrt");
  addBinary<[](double a, double b) { return hypot(a, b); }>(f, "__nv_hypotf", "__nv_hypot");
  addBinary<[](double a, double b) { return 1 / hypot(a, b); }>(f, "__nv_rhypotf", "__nv_rhypot");
  addDevice<float(float, float, float), [](float a, float b, float c) {
    return float(std::hypot(double(a), double(b), double(c)));
  }>(f, "__nv_norm3df");
  addDevice<double(double, double, double), [](double a, double b, double c) { return std::hypot(a, b, c); }>(
      f, "__nv_norm3d");
  addDevice<float(float, float, float), [](float a, float b, float c) {
    return float(1 / std::hypot(double(a), double(b), double(c)));
  }>(f, "__nv_rnorm3df");
  addDevice<double(double, double, double), [](double a, double b, double c) { return 1 / std::hypot(a, b, c); }>(
      f, "__nv_rnorm3d");
  addDevice<float(float, float, float), [](float a, float b, float c) { return std::fma(a, b, c); }>(f, "__nv_fmaf");
  addDevice<double(double, double, double), [](double a, double b, double c) { return std::fma(a, b, c); }>(f,
                                                                                                            "__nv_fma");
}

} // namespace

void addMathDeviceFunctions(DeviceFunctions &functions) {
  addExponentials(functions);
  addTrigonometry(functions);
  addRounding(functions);
  addRoots(functions);
}

} // namespace nereid::interp
