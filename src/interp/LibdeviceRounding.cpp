// LibdeviceRounding.cpp: arithmetic and conversions with a rounding mode in the name: _rn nearest, _rz toward zero, _rd
// down, _ru up.
//
// The processor's own rounding mode does the work. Operands and results are volatile, so that the compiler can neither
// compute them ahead nor move them out of the mode.
#include "interp/Libdevice.h"

#include <cfenv>
#include <cmath>
#include <limits>

namespace nereid::interp {

namespace {

class RoundingMode {
public:
  explicit RoundingMode(int mode) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(FE_TONEAREST); }
};

template <typename T> T hidden(const T &value) { return *const_cast<const volatile T *>(&value); }

template <int mode, auto function, typename... T> auto rounded(T... operands) {
  RoundingMode scope(mode);
  volatile auto result = function(hidden(operands)...);
  return result;
}

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
constexpr auto kSubtract = [](auto a, auto b) { return a - b; };
constexpr auto kMultiply = [](auto a, auto b) { return a * b; };
constexpr auto kDivide = [](auto a, auto b) { return a / b; };
constexpr auto kReciprocal = [](auto a) { return decltype(a)(1) / a; };
constexpr auto kRoot = [](auto a) { return std::sqrt(a); };
constexpr auto kFused = [](auto a, auto b, auto c) { return std::fma(a, b, c); };

// The four modes of one function; `names` in the order rn, rz, rd, ru.
template <typename Signature, auto function, typename... T>
void addModes(DeviceFunctions &f, const std::array<const char *, 4> &names) {
  addDevice<Signature, [](T... a) { return rounded<FE_TONEAREST, function>(a...); }>(f, names[0]);
  addDevice<Signature, [](T... a) { return rounded<FE_TOWARDZERO, function>(a...); }>(f, names[1]);
  addDevice<Signature, [](T... a) { return rounded<FE_DOWNWARD, function>(a...); }>(f, names[2]);
  addDevice<Signature, [](T... a) { return rounded<FE_UPWARD, function>(a...); }>(f, names[3]);
}

// The integer nearest to a whole number of type F. NaN gives 0 only from f32 to 32 bits; otherwise PTX gives the top
// bit.
template <typename Integer, typename F> Integer toInteger(F whole) {
  if (whole != whole) {
    bool isSmall = sizeof(F) == 4 && sizeof(Integer) == 4;
    return isSmall ? Integer(0) : Integer(uint64_t(1) << (8 * sizeof(Integer) - 1));
  }
  if (whole <= F(std::numeric_limits<Integer>::min()))
    return std::numeric_limits<Integer>::min();
  return whole >= F(std::numeric_limits<Integer>::max()) ? std::numeric_limits<Integer>::max() : Integer(whole);
}

template <typename Integer, typename F>
void addToInteger(DeviceFunctions &f, const std::array<const char *, 4> &names) {
  addDevice<Integer(F), [](F a) { return toInteger<Integer>(std::nearbyint(a)); }>(f, names[0]);
  addDevice<Integer(F), [](F a) { return toInteger<Integer>(std::trunc(a)); }>(f, names[1]);
  addDevice<Integer(F), [](F a) { return toInteger<Integer>(std::floor(a)); }>(f, names[2]);
  addDevice<Integer(F), [](F a) { return toInteger<Integer>(std::ceil(a)); }>(f, names[3]);
}

template <typename F, typename T> void addConversion(DeviceFunctions &f, const std::array<const char *, 4> &names) {
  addModes<F(T), [](T a) { return F(a); }, T>(f, names);
}

} // namespace

void addRoundingDeviceFunctions(DeviceFunctions &f) {
  using F = float;
  using D = double;
  addModes<F(F, F), kAdd, F, F>(f, {"__nv_fadd_rn", "__nv_fadd_rz", "__nv_fadd_rd", "__nv_fadd_ru"});
  addModes<D(D, D), kAdd, D, D>(f, {"__nv_dadd_rn", "__nv_dadd_rz", "__nv_dadd_rd", "__nv_dadd_ru"});
  addModes<F(F, F), kSubtract, F, F>(f, {"__nv_fsub_rn", "__nv_fsub_rz", "__nv_fsub_rd", "__nv_fsub_ru"});
  addModes<D(D, D), kSubtract, D, D>(f, {"__nv_dsub_rn", "__nv_dsub_rz", "__nv_dsub_rd", "__nv_dsub_ru"});
  addModes<F(F, F), kMultiply, F, F>(f, {"__nv_fmul_rn", "__nv_fmul_rz", "__nv_fmul_rd", "__nv_fmul_ru"});
  addModes<D(D, D), kMultiply, D, D>(f, {"__nv_dmul_rn", "__nv_dmul_rz", "__nv_dmul_rd", "__nv_dmul_ru"});
  addModes<F(F, F), kDivide, F, F>(f, {"__nv_fdiv_rn", "__nv_fdiv_rz", "__nv_fdiv_rd", "__nv_fdiv_ru"});
  addModes<D(D, D), kDivide, D, D>(f, {"__nv_ddiv_rn", "__nv_ddiv_rz", "__nv_ddiv_rd", "__nv_ddiv_ru"});
  addModes<F(F), kReciprocal, F>(f, {"__nv_frcp_rn", "__nv_frcp_rz", "__nv_frcp_rd", "__nv_frcp_ru"});
  addModes<D(D), kReciprocal, D>(f, {"__nv_drcp_rn", "__nv_drcp_rz", "__nv_drcp_rd", "__nv_drcp_ru"});
  addModes<F(F), kRoot, F>(f, {"__nv_fsqrt_rn", "__nv_fsqrt_rz", "__nv_fsqrt_rd", "__nv_fsqrt_ru"});
  addModes<D(D), kRoot, D>(f, {"__nv_dsqrt_rn", "__nv_dsqrt_rz", "__nv_dsqrt_rd", "__nv_dsqrt_ru"});
  addModes<F(F, F, F), kFused, F, F, F>(f, {"__nv_fmaf_rn", "__nv_fmaf_rz", "__nv_fmaf_rd", "__nv_fmaf_ru"});
  addModes<D(D, D, D), kFused, D, D, D>(f, {"__nv_fma_rn", "__nv_fma_rz", "__nv_fma_rd", "__nv_fma_ru"});
}

void addConversionDeviceFunctions(DeviceFunctions &f) {
  addConversion<float, double>(
      f, {"__nv_double2float_rn", "__nv_double2float_rz", "__nv_double2float_rd", "__nv_double2float_ru"});
  addConversion<float, int32_t>(f,
                                {"__nv_int2float_rn", "__nv_int2float_rz", "__nv_int2float_rd", "__nv_int2float_ru"});
  addConversion<float, uint32_t>(
      f, {"__nv_uint2float_rn", "__nv_uint2float_rz", "__nv_uint2float_rd", "__nv_uint2float_ru"});
  addConversion<float, int64_t>(f, {"__nv_ll2float_rn", "__nv_ll2float_rz", "__nv_ll2float_rd", "__nv_ll2float_ru"});
  addConversion<float, uint64_t>(f,
                                 {"__nv_ull2float_rn", "__nv_ull2float_rz", "__nv_ull2float_rd", "__nv_ull2float_ru"});
  addConversion<double, int64_t>(f,
                                 {"__nv_ll2double_rn", "__nv_ll2double_rz", "__nv_ll2double_rd", "__nv_ll2double_ru"});
  // In halves, each of them exact: compilers subtract on the way, and 0 would be -0 when it is rounded down.
  addModes<double(uint64_t), [](uint64_t a) { return uint32_t(a >> 32) * 0x1p32 + uint32_t(a); }, uint64_t>(
      f, {"__nv_ull2double_rn", "__nv_ull2double_rz", "__nv_ull2double_rd", "__nv_ull2double_ru"});
  addDevice<double(int32_t), [](int32_t a) { return double(a); }>(f, "__nv_int2double_rn");
  addDevice<double(uint32_t), [](uint32_t a) { return double(a); }>(f, "__nv_uint2double_rn");
  addToInteger<int32_t, float>(f, {"__nv_float2int_rn", "__nv_float2int_rz", "__nv_float2int_rd", "__nv_float2int_ru"});
  addToInteger<uint32_t, float>(
      f, {"__nv_float2uint_rn", "__nv_float2uint_rz", "__nv_float2uint_rd", "__nv_float2uint_ru"});
  addToInteger<int64_t, float>(f, {"__nv_float2ll_rn", "__nv_float2ll_rz", "__nv_float2ll_rd", "__nv_float2ll_ru"});
  addToInteger<uint64_t, float>(f,
                                {"__nv_float2ull_rn", "__nv_float2ull_rz", "__nv_float2ull_rd", "__nv_float2ull_ru"});
  addToInteger<int32_t, double>(
      f, {"__nv_double2int_rn", "__nv_double2int_rz", "__nv_double2int_rd", "__nv_double2int_ru"});
  addToInteger<uint32_t, double>(
      f, {"__nv_double2uint_rn", "__nv_double2uint_rz", "__nv_double2uint_rd", "__nv_double2uint_ru"});
  addToInteger<int64_t, double>(f,
                                {"__nv_double2ll_rn", "__nv_double2ll_rz", "__nv_double2ll_rd", "__nv_double2ll_ru"});
  addToInteger<uint64_t, double>(
      f, {"__nv_double2ull_rn", "__nv_double2ull_rz", "__nv_double2ull_rd", "__nv_double2ull_ru"});
  addDevice<int64_t(float), [](float a) { return toInteger<int64_t>(std::nearbyint(a)); }>(f, "__nv_llrintf");
  addDevice<int64_t(double), [](double a) { return toInteger<int64_t>(std::nearbyint(a)); }>(f, "__nv_llrint");
  addDevice<int64_t(float), [](float a) { return toInteger<int64_t>(std::round(a)); }>(f, "__nv_llroundf");
  addDevice<int64_t(double), [](double a) { return toInteger<int64_t>(std::round(a)); }>(f, "__nv_llround");
}

} // namespace nereid::interp
