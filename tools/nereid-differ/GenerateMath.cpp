// GenerateMath.cpp: mathematical functions, each with the interval it is used on and how fast it changes there.
#include "Generator.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

namespace {

struct Function1 {
  const char *name;
  double low, high; // arguments stay inside
  double (*apply)(double);
  double (*slope)(double low, double high); // the largest |derivative| on an interval
  double ulps = 4;
};

double largerEnd(double (*function)(double), double low, double high) {
  return std::max(std::abs(function(low)), std::abs(function(high)));
}

constexpr double kOne = 1;
double one(double, double) { return kOne; }

const Function1 kFunctions[] = {
    {"tl.exp", -12, 6, [](double x) { return std::exp(x); }, [](double, double high) { return std::exp(high); }},
    {"tl.exp2", -16, 8, [](double x) { return std::exp2(x); }, [](double, double high) { return std::exp2(high); }},
    {"tl.log", 0.01, 1e6, [](double x) { return std::log(x); }, [](double low, double) { return 1 / low; }},
    {"tl.log2", 0.01, 1e6, [](double x) { return std::log2(x); }, [](double low, double) { return 1.5 / low; }},
    {"tl.sqrt", 0.01, 1e6, [](double x) { return std::sqrt(x); },
     [](double low, double) { return 0.5 / std::sqrt(low); }},
    {"tl.rsqrt", 0.01, 1e6, [](double x) { return 1 / std::sqrt(x); },
     [](double low, double) { return 0.5 / (low * std::sqrt(low)); }},
    {"tl.erf", -5, 5, [](double x) { return std::erf(x); }, [](double, double) { return 1.13; }},
    {"tl.sigmoid", -20, 20, [](double x) { return 1 / (1 + std::exp(-x)); }, [](double, double) { return 0.25; }, 8},
    {"libdevice.tanh", -20, 20, [](double x) { return std::tanh(x); }, one},
    {"libdevice.atan", -1e4, 1e4, [](double x) { return std::atan(x); }, one},
    {"libdevice.asinh", -1e4, 1e4, [](double x) { return std::asinh(x); }, one},
    {"libdevice.expm1", -10, 5, [](double x) { return std::expm1(x); },
     [](double, double high) { return std::exp(high); }},
    {"libdevice.log1p", -0.5, 1e5, [](double x) { return std::log1p(x); },
     [](double low, double) { return 1 / (1 + low); }},
    {"libdevice.cbrt", 0.01, 1e6, [](double x) { return std::cbrt(x); },
     [](double low, double) { return std::pow(low, -2.0 / 3) / 3; }},
    {"libdevice.sinh", -6, 6, [](double x) { return std::sinh(x); },
     [](double low, double high) { return largerEnd([](double x) { return std::cosh(x); }, low, high); }},
    {"libdevice.exp10", -5, 3, [](double x) { return std::pow(10, x); },
     [](double, double high) { return 2.31 * std::pow(10, high); }, 8},
    {"libdevice.log10", 0.01, 1e6, [](double x) { return std::log10(x); },
     [](double low, double) { return 0.5 / low; }},
    {"libdevice.asin", -0.9, 0.9, [](double x) { return std::asin(x); }, [](double, double) { return 2.3; }},
    {"libdevice.acos", -0.9, 0.9, [](double x) { return std::acos(x); }, [](double, double) { return 2.3; }},
    {"libdevice.atanh", -0.9, 0.9, [](double x) { return std::atanh(x); }, [](double, double) { return 5.3; }},
    {"libdevice.acosh", 1.25, 1e4, [](double x) { return std::acosh(x); }, [](double, double) { return 1.34; }},
    {"libdevice.tan", -1.2, 1.2, [](double x) { return std::tan(x); }, [](double, double) { return 7.7; }},
    {"libdevice.erfc", -3, 3, [](double x) { return std::erfc(x); }, [](double, double) { return 1.13; }, 8},
    {"libdevice.normcdf", -4, 4, [](double x) { return std::erfc(-x * std::sqrt(0.5)) / 2; },
     [](double, double) { return 0.4; }, 8},
    {"libdevice.rcbrt", 0.01, 1e6, [](double x) { return 1 / std::cbrt(x); },
     [](double low, double) { return std::pow(low, -4.0 / 3) / 3; }},
    {"libdevice.lgamma", 2, 50, [](double x) { return std::lgamma(x); }, [](double, double) { return 4.0; }, 16},
};

bool isWide(const Variable &v) { return v.type.dtype == DType::Fp32 || v.type.dtype == DType::Fp64; }

bool generateMonotone(Generator &g) {
  const Function1 &function = kFunctions[g.below(std::size(kFunctions))];
  if (g.program.isExact)
    return false;
  auto a = g.pick([&](const Variable &v) {
    return isWide(v) && !v.facts.isSpecial && v.facts.low - v.facts.error >= function.low &&
           v.facts.high + v.facts.error <= function.high;
  });
  if (!a || g.chance(15)) { // values made for it
    DType dtype = g.choose({DType::Fp32, DType::Fp32, DType::Fp64});
    TileShape shape = g.randomShape(g.tileLimit);
    if (!g.spend(g.count(shape)))
      return false;
    a = g.obtain({dtype, shape}, {.low = std::max(function.low, 0.25), .high = std::min(function.high, 4.0)});
  }
  if (!a || !g.spend(8 * g.count(a->type.shape)))
    return false;
  double ends[] = {function.apply(a->facts.low), function.apply(a->facts.high)};
  Facts facts{.low = std::min(ends[0], ends[1]), .high = std::max(ends[0], ends[1])};
  facts.error = function.slope(a->facts.low - a->facts.error, a->facts.high + a->facts.error) * a->facts.error +
                function.ulps * unitOf(a->type.dtype) * facts.magnitude();
  auto done = rounded(a->type.dtype, facts);
  if (!done)
    return false;
  g.define(a->type, *done, std::string(function.name) + "(" + a->name + ")");
  return true;
}

bool generateWave(Generator &g) {
  if (g.program.isExact)
    return false;
  auto a = g.pick([](const Variable &v) { return isWide(v) && !v.facts.isSpecial && v.facts.magnitude() < 1000; });
  if (!a || !g.spend(8 * g.count(a->type.shape)))
    return false;
  Facts facts{.low = -1, .high = 1, .error = a->facts.error + 4 * unitOf(a->type.dtype)};
  auto done = rounded(a->type.dtype, facts);
  if (!done)
    return false;
  g.define(a->type, *done, (g.chance(50) ? "tl.sin(" : "tl.cos(") + a->name + ")");
  return true;
}

// floor, ceil and correctly rounded functions: exact, for any input.
bool generateRounding(Generator &g) {
  auto a = g.pick([](const Variable &v) { return isWide(v) && v.facts.error == 0 && !v.facts.isZeroUnsigned; });
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  Facts facts = a->facts;
  facts.fusedUnits = 0;
  if (a->type.dtype == DType::Fp32 && g.chance(25)) {
    g.define(a->type, {.isSpecial = true}, "tl.math.sqrt_rn(" + a->name + ")");
    return true;
  }
  facts.low = std::floor(facts.low), facts.high = std::ceil(facts.high);
  facts.isIntegral = !facts.isSpecial && facts.magnitude() <= exactLimitOf(a->type.dtype);
  std::string name = g.choose({"tl.floor", "tl.ceil", "libdevice.rint", "libdevice.trunc"});
  g.define(a->type, facts, name + "(" + a->name + ")");
  return true;
}

bool generateFma(Generator &g) {
  auto isGood = [](const Variable &v) { return isWide(v); };
  auto a = g.pick(isGood);
  if (!a)
    return false;
  Variable b = g.obtain(a->type, g.randomWish(a->type.dtype)), c = g.obtain(a->type, g.randomWish(a->type.dtype));
  auto product = multiplyFacts(a->type.dtype, a->facts, b.facts);
  if (!product || !g.spend(g.count(a->type.shape)))
    return false;
  product->fusedUnits = 0; // fused already
  auto facts = addFacts(a->type.dtype, *product, c.facts, g.options.contracts);
  if (!facts || (facts->error > 0 && g.program.isExact))
    return false;
  g.define(a->type, *facts, "tl.fma(" + a->name + ", " + b.name + ", " + c.name + ")");
  return true;
}

bool generateExactDivision(Generator &g) {
  auto a = g.pick([](const Variable &v) { return v.type.dtype == DType::Fp32; });
  if (!a)
    return false;
  Variable b = g.obtain(a->type, g.randomWish(DType::Fp32));
  auto facts = divideFacts(DType::Fp32, a->facts, b.facts);
  if (!facts || (facts->error > 0 && g.program.isExact) || !g.spend(g.count(a->type.shape)))
    return false;
  g.define(a->type, *facts, "tl.math.div_rn(" + a->name + ", " + b.name + ")");
  return true;
}

bool generateSoftmax(Generator &g) {
  if (g.program.isExact)
    return false;
  auto a = g.pick([](const Variable &v) {
    return v.type.dtype == DType::Fp32 && !v.facts.isSpecial && v.facts.magnitude() < 20 && !v.type.shape.empty() &&
           v.type.shape.size() <= 2;
  });
  if (!a || !g.spend(12 * g.count(a->type.shape)))
    return false;
  double count = double(g.value(a->type.shape.back()));
  Facts facts{.low = 0, .high = 1, .error = 4 * a->facts.error + (2 * count + 16) * unitOf(DType::Fp32)};
  auto done = rounded(DType::Fp32, facts);
  if (!done)
    return false;
  // Written out along the last axis: the order of the axes of tl.softmax differs between releases.
  std::string axis = std::to_string(a->type.shape.size() - 1);
  std::string shifted = a->name + " - tl.max(" + a->name + ", axis=" + axis + ", keep_dims=True)";
  TileType type = a->type;
  Facts one{.low = 0, .high = 1, .error = facts.error};
  std::string numerator = g.define(type, one, "tl.exp(" + shifted + ")").name;
  g.define(type, *done, numerator + " / tl.sum(" + numerator + ", axis=" + axis + ", keep_dims=True)");
  return true;
}

// map_elementwise: a scalar function with control flow, applied to every element.
bool generateMap(Generator &g) {
  auto a = g.pick([](const Variable &v) { return v.type.dtype == DType::Int32 && !v.type.shape.empty(); });
  if (!a || g.program.isDebug || !g.spend(4 * g.count(a->type.shape)))
    return false;
  Function function{.parameters = {"a", "b"}};
  function.body = {
      {.text = "a", .defines = {{.name = "r", .type = {DType::Int32, {}}}}},
      {.text = "if a > b:", .body = {{.text = "a - b", .defines = {{.name = "r", .type = {DType::Int32, {}}}}}}}};
  function.result = "r";
  Variable b = g.obtain(a->type, g.randomWish(DType::Int32));
  g.define(a->type, fullFacts(DType::Int32),
           "tl.map_elementwise(" + g.addFunction(function) + ", " + a->name + ", " + b.name + ")");
  return true;
}

} // namespace

const std::vector<Family> &mathFamilies() {
  static const std::vector<Family> kFamilies = {
      {8, true, generateMonotone},      {2, true, generateWave},    {3, true, generateRounding}, {2, true, generateFma},
      {1, true, generateExactDivision}, {2, true, generateSoftmax}, {1, false, generateMap}};
  return kFamilies;
}

} // namespace nereid::differ
