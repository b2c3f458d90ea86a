// LibdeviceSpecial.cpp: special functions: Bessel, gamma, the error function's family, and multiples of pi.
#include "interp/Libdevice.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace nereid::interp {

namespace {

constexpr double kPi = std::numbers::pi, kInfinity = std::numeric_limits<double>::infinity(),
                 kNaN = std::numeric_limits<double>::quiet_NaN();

// sin(pi a), exact where it is 0, ±1 or ±1/2 of a turn: the argument is first reduced to [-1/4, 1/4].
double sinPi(double a) {
  if (!std::isfinite(a))
    return kNaN;
  double turns = std::fmod(a, 2.0), quarter = std::nearbyint(2 * turns);
  double rest = kPi * (turns - quarter / 2);
  switch (int(quarter) & 3) {
  case 0: return quarter == 0 && rest == 0 ? std::copysign(0.0, a) : std::sin(rest);
  case 1: return std::cos(rest);
  case 2: return rest == 0 ? std::copysign(0.0, a) : -std::sin(rest);
  default: return -std::cos(rest);
  }
}

double cosPi(double a) {
  if (!std::isfinite(a))
    return kNaN;
  double turns = std::fmod(std::fabs(a), 2.0), quarter = std::nearbyint(2 * turns);
  double rest = kPi * (turns - quarter / 2);
  switch (int(quarter) & 3) {
  case 0: return std::cos(rest);
  case 1: return rest == 0 ? 0.0 : -std::sin(rest);
  case 2: return -std::cos(rest);
  default: return rest == 0 ? 0.0 : std::sin(rest);
  }
}

// exp(a²)·erfc(a). The square is split so that its rounding does not show; for large a the asymptotic series.
double scaledErfc(double a) {
  if (a > 12) {
    double x = 1 / (2 * a * a), term = 1, sum = 1;
    for (int k = 1; k < 20; ++k)
      sum += term *= -(2 * k - 1) * x;
    return sum / (a * std::sqrt(kPi));
  }
  double square = a * a, rest = std::fma(a, a, -square);
  double power = std::exp(square);
  return std::isinf(power) ? kInfinity * std::erfc(a) : power * std::erfc(a) * (1 + rest);
}

// A start for the inverse of erfc on (0, 1], good to three digits (Abramowitz and Stegun 26.2.23).
double inverseErfcStart(double y) {
  double t = std::sqrt(-2 * std::log(y / 2));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  return x / std::numbers::sqrt2;
}

double inverseErfc(double y) {
  if (!(y >= 0 && y <= 2))
    return kNaN;
  if (y == 0 || y == 2)
    return y == 0 ? kInfinity : -kInfinity;
  if (y > 1)
    return -inverseErfc(2 - y);
  double x = inverseErfcStart(y);
  // Halley's method on the ratio erfc(x)/y - 1, scaled so that nothing underflows far out.
  for (int i = 0; i < 4; ++i) {
    double error = (std::erfc(x) - y) / (2 / std::sqrt(kPi) * std::exp(-x * x));
    x += error / (1 + x * error);
  }
  return x;
}

double inverseErf(double a) {
  if (!(std::fabs(a) <= 1))
    return kNaN;
  if (std::fabs(a) == 1)
    return a * kInfinity;
  if (std::fabs(a) > 0.5)
    return std::copysign(inverseErfc(1 - std::fabs(a)), a);
  double x = a * std::sqrt(kPi) / 2;
  for (int i = 0; i < 6; ++i) {
    double error = (std::erf(x) - a) / (2 / std::sqrt(kPi) * std::exp(-x * x));
    x -= error / (1 + x * error);
  }
  return x;
}

double normalCdf(double a) { return std::erfc(-a / std::numbers::sqrt2) / 2; }
double inverseNormalCdf(double p) { return -std::numbers::sqrt2 * inverseErfc(2 * p); }

// Modified Bessel function of the first kind, order 0 or 1: the power series, whose terms are all positive, or, for
// large arguments, the asymptotic one.
double besselI(int order, double a) {
  double x = std::fabs(a), sign = order == 1 && a < 0 ? -1 : 1;
  if (x < 30) {
    double term = order == 1 ? x / 2 : 1, sum = term;
    for (int k = 1; k < 200 && term > sum * 1e-18; ++k)
      sum += term *= x * x / 4 / (double(k) * (k + order));
    return sign * sum;
  }
  double term = 1, sum = 1, mu = 4.0 * order * order;
  for (int k = 1; k < 40; ++k)
    sum += term *= -(mu - (2 * k - 1) * (2 * k - 1)) / (8 * x * k);
  // Two halves of the exponential, so that it does not overflow before the result does.
  double half = std::exp(x / 2);
  return sign * (half / std::sqrt(2 * kPi * x) * sum * half);
}

// Negative arguments have no real value, as CUDA defines it; order below zero neither.
double besselJn(int32_t n, double a) { return n < 0 ? kNaN : ::jn(n, a); }
double besselYn(int32_t n, double a) { return n < 0 || a < 0 ? kNaN : ::yn(n, a); }

// The high half of an approximate reciprocal; the low half is zero.
double reciprocalHigh(double a) { return std::bit_cast<double>(std::bit_cast<uint64_t>(1 / a) & 0xffffffff00000000); }

// lgamma of the C library writes a global; the reentrant one does not.
double logGamma(double a) {
  int sign;
  return ::lgamma_r(a, &sign);
}

template <auto wide> void addBoth(DeviceFunctions &f, std::string_view single, std::string_view dbl) {
  addDevice<float(float), [](float a) { return float(wide(double(a))); }>(f, single);
  addDevice<double(double), wide>(f, dbl);
}

} // namespace

void addSpecialDeviceFunctions(DeviceFunctions &f) {
  addBoth<sinPi>(f, "__nv_sinpif", "__nv_sinpi");
  addBoth<cosPi>(f, "__nv_cospif", "__nv_cospi");
  addBoth<[](double a) { return std::erf(a); }>(f, "__nv_erff", "__nv_erf");
  addBoth<[](double a) { return std::erfc(a); }>(f, "__nv_erfcf", "__nv_erfc");
  addBoth<scaledErfc>(f, "__nv_erfcxf", "__nv_erfcx");
  addBoth<inverseErf>(f, "__nv_erfinvf", "__nv_erfinv");
  addBoth<inverseErfc>(f, "__nv_erfcinvf", "__nv_erfcinv");
  addBoth<normalCdf>(f, "__nv_normcdff", "__nv_normcdf");
  addBoth<inverseNormalCdf>(f, "__nv_normcdfinvf", "__nv_normcdfinv");
  addBoth<logGamma>(f, "__nv_lgammaf", "__nv_lgamma");
  addBoth<[](double a) { return std::tgamma(a); }>(f, "__nv_tgammaf", "__nv_tgamma");
  addBoth<[](double a) { return ::j0(a); }>(f, "__nv_j0f", "__nv_j0");
  addBoth<[](double a) { return ::j1(a); }>(f, "__nv_j1f", "__nv_j1");
  addBoth<[](double a) { return a < 0 ? kNaN : ::y0(a); }>(f, "__nv_y0f", "__nv_y0");
  addBoth<[](double a) { return a < 0 ? kNaN : ::y1(a); }>(f, "__nv_y1f", "__nv_y1");
  addBoth<[](double a) { return besselI(0, a); }>(f, "__nv_cyl_bessel_i0f", "__nv_cyl_bessel_i0");
  addBoth<[](double a) { return besselI(1, a); }>(f, "__nv_cyl_bessel_i1f", "__nv_cyl_bessel_i1");
  addDevice<float(int32_t, float), [](int32_t n, float a) { return float(besselJn(n, double(a))); }>(f, "__nv_jnf");
  addDevice<double(int32_t, double), besselJn>(f, "__nv_jn");
  addDevice<float(int32_t, float), [](int32_t n, float a) { return float(besselYn(n, double(a))); }>(f, "__nv_ynf");
  addDevice<double(int32_t, double), besselYn>(f, "__nv_yn");
  addDevice<double(double), reciprocalHigh>(f, "__nv_rcp64h");
}

} // namespace nereid::interp
