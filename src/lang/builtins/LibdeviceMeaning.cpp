// LibdeviceMeaning.cpp: what the functions of libdevice compute, in words. Names of one form (add_rn, float2int_rz) are put together.
#include "lang/builtins/LibdeviceTable.h"

namespace nereid::lang {

namespace {

struct Phrase {
  std::string_view name, text;
};

// clang-format off: a table reads better filled than one row a line
constexpr Phrase kMeanings[] = {
    {"clz", "How many bits are 0 before the highest 1"}, {"popc", "How many bits are 1"}, {"byte_perm", "Four bytes of two words, picked by the digits of `arg2`"},
    {"mulhi", "Upper half of the product"}, {"mul24", "Product of the lower 24 bits"}, {"brev", "The bits in the other order"}, {"sad", "|arg0 - arg1| + arg2"},
    {"abs", "Absolute value"}, {"floor", "Largest whole number that is not above"}, {"rcp64h", "Reciprocal, from the upper half of the number"},
    {"rsqrt", "One over the square root"}, {"ceil", "Smallest whole number that is not below"}, {"trunc", "The whole part"}, {"exp2", "2 to the power of the number"},
    {"saturatef", "The number kept between 0 and 1"}, {"fma", "arg0 * arg1 + arg2 with one rounding"}, {"fast_dividef", "Approximate quotient"}, {"div", "Quotient"},
    {"rcp", "Reciprocal"}, {"sqrt", "Square root"}, {"add", "Sum"}, {"sub", "Difference"}, {"mul", "Product"}, {"hiloint2double", "The fp64 with these upper and lower bits"},
    {"double2loint", "The lower 32 bits of an fp64"}, {"double2hiint", "The upper 32 bits of an fp64"}, {"int_as_float", "The bits as fp32"}, {"float_as_int", "The bits as int32"},
    {"uint_as_float", "The bits as fp32"}, {"float_as_uint", "The bits as uint32"}, {"longlong_as_double", "The bits as fp64"}, {"double_as_longlong", "The bits as int64"},
    {"fast_sinf", "Approximate sine"}, {"fast_cosf", "Approximate cosine"}, {"fast_log2f", "Approximate logarithm to base 2"}, {"fast_logf", "Approximate natural logarithm"},
    {"fast_expf", "Approximate e to the power of the number"}, {"fast_tanf", "Approximate tangent"}, {"fast_tanhf", "Hyperbolic tangent"},
    {"fast_exp10f", "Approximate 10 to the power of the number"}, {"fast_log10f", "Approximate logarithm to base 10"}, {"fast_powf", "Approximate arg0 to the power of arg1"},
    {"hadd", "Mean of two integers, rounded down"}, {"rhadd", "Mean of two integers, rounded up"}, {"ffs", "Place of the lowest 1, counted from 1; 0 for none"},
    {"rint", "Nearest whole number, halves to the even one"}, {"llrint", "Nearest integer, halves to the even one"}, {"nearbyint", "Nearest whole number, halves to the even one"},
    {"isnan", "Whether it is no number"}, {"signbit", "Whether the sign is minus"}, {"copysign", "arg0 with the sign of arg1"}, {"finitef", "Whether it is finite"},
    {"isinf", "Whether it is infinite"}, {"isfinited", "Whether it is finite"}, {"nextafter", "The next float from arg0 towards arg1"}, {"sin", "Sine"}, {"cos", "Cosine"},
    {"sinpi", "Sine of pi times the number"}, {"cospi", "Cosine of pi times the number"}, {"tan", "Tangent"}, {"log2", "Logarithm to base 2"}, {"exp", "e to the power of the number"},
    {"exp10", "10 to the power of the number"}, {"cosh", "Hyperbolic cosine"}, {"sinh", "Hyperbolic sine"}, {"tanh", "Hyperbolic tangent"},
    {"atan2", "Angle of the point (arg1, arg0)"}, {"atan", "Arc tangent"}, {"asin", "Arc sine"}, {"acos", "Arc cosine"}, {"log", "Natural logarithm"},
    {"log10", "Logarithm to base 10"}, {"log1p", "log(1 + x)"}, {"acosh", "Inverse hyperbolic cosine"}, {"asinh", "Inverse hyperbolic sine"}, {"atanh", "Inverse hyperbolic tangent"},
    {"expm1", "exp(x) - 1"}, {"hypot", "Length of the vector (arg0, arg1)"}, {"rhypot", "One over that length"}, {"norm3d", "Length of a vector of three"},
    {"rnorm3d", "One over that length"}, {"norm4d", "Length of a vector of four"}, {"rnorm4d", "One over that length"}, {"cbrt", "Cube root"}, {"rcbrt", "One over the cube root"},
    {"j0", "Bessel function of the first kind, order 0"}, {"j1", "Bessel function of the first kind, order 1"}, {"jn", "Bessel function of the first kind, order arg0"},
    {"y0", "Bessel function of the second kind, order 0"}, {"y1", "Bessel function of the second kind, order 1"}, {"yn", "Bessel function of the second kind, order arg0"},
    {"cyl_bessel_i0", "Modified Bessel function of the first kind, order 0"}, {"cyl_bessel_i1", "Modified Bessel function of the first kind, order 1"}, {"erf", "Error function"},
    {"erfinv", "Inverse of the error function"}, {"erfc", "1 - erf(x)"}, {"erfcx", "exp(x * x) * erfc(x)"}, {"erfcinv", "Inverse of erfc"},
    {"normcdf", "Distribution function of the normal distribution"}, {"normcdfinv", "Inverse of normcdf"}, {"lgamma", "Logarithm of |gamma(x)|"}, {"tgamma", "Gamma function"},
    {"ldexp", "arg0 * 2 ** arg1"}, {"scalbn", "arg0 * 2 ** arg1"}, {"fmod", "Remainder, with the sign of arg0"}, {"remainder", "Remainder of the nearest quotient"},
    {"pow", "arg0 to the power of arg1"}, {"round", "Nearest whole number, halves away from 0"}, {"llround", "Nearest integer, halves away from 0"}, {"fdim", "arg0 - arg1, or 0 where that is negative"},
    {"ilogb", "The exponent, as an integer"}, {"logb", "The exponent"}};
constexpr Phrase kRoundings[] = {{"_rn", ", rounded to nearest even"}, {"_rz", ", rounded towards 0"}, {"_rd", ", rounded down"}, {"_ru", ", rounded up"}};
constexpr Phrase kTypes[] = {{"float", "fp32"}, {"double", "fp64"}, {"int", "int32"}, {"uint", "uint32"}, {"ll", "int64"}, {"ull", "uint64"}};
// clang-format on

template <size_t N> std::string_view find(const Phrase (&phrases)[N], std::string_view name) {
  for (const Phrase &phrase : phrases)
    if (phrase.name == name)
      return phrase.text;
  return "";
}

} // namespace

std::string libdeviceMeaning(std::string_view name) {
  if (std::string_view text = find(kMeanings, name); !text.empty())
    return std::string(text);
  std::string_view rounding = name.size() > 3 ? find(kRoundings, name.substr(name.size() - 3)) : "";
  if (rounding.empty())
    return "";
  name.remove_suffix(3);
  size_t two = name.find('2');
  if (std::string_view text = find(kMeanings, name); !text.empty())
    return std::string(text) + std::string(rounding);
  if (two == std::string_view::npos)
    return "";
  std::string_view from = find(kTypes, name.substr(0, two)), to = find(kTypes, name.substr(two + 1));
  return from.empty() || to.empty() ? "" : std::string(from) + " as " + std::string(to) + std::string(rounding);
}

} // namespace nereid::lang
