// MathTest.cpp: the accuracy of mathematical functions: every exponent and sign, special values, and dense samples of
// the range where a function moves, against the C library in a wider type.
#include "MathJit.h"

#include "codegen/math/Math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace nereid::cpu::test {
namespace {

using Wide = long double;

struct Function {
  const char *name;
  double (*single)(double);   // the reference for f32
  Wide (*wide)(Wide);         // and for f64
  double bound32, bound64;    // in units of the last place
  double from = -50, to = 50; // where it moves
};

// The interpreter's meaning of multiples of pi, which the C library lacks: exact reduction, then its sine and cosine.
template <typename T> T sinPiOf(T a) {
  if (!std::isfinite(a))
    return std::numeric_limits<T>::quiet_NaN();
  T turns = std::fmod(a, T(2)), quarter = std::nearbyint(2 * turns),
    rest = 3.14159265358979323846264338327950288L * (turns - quarter / 2);
  int q = int(quarter) & 3;
  T value = q & 1 ? std::cos(rest) : std::sin(rest);
  if (!(q & 1) && rest == 0)
    return std::copysign(T(0), a);
  return q & 2 ? -value : value;
}
template <typename T> T cosPiOf(T a) {
  if (!std::isfinite(a))
    return std::numeric_limits<T>::quiet_NaN();
  T turns = std::fmod(std::fabs(a), T(2)), quarter = std::nearbyint(2 * turns),
    rest = 3.14159265358979323846264338327950288L * (turns - quarter / 2);
  int q = int(quarter) & 3;
  if ((q & 1) && rest == 0)
    return 0;
  T value = q & 1 ? std::sin(rest) : std::cos(rest);
  return q == 1 || q == 2 ? -value : value;
}

const Function kFunctions[] = {
    {"math.exp", [](double x) { return std::exp(x); }, [](Wide x) { return std::exp(x); }, 1.8, 1, -750, 720},
    {"math.exp2", [](double x) { return std::exp2(x); }, [](Wide x) { return std::exp2(x); }, 1.8, 1.3, -1080, 1030},
    {"__nv_exp10", [](double x) { return ::exp10(x); }, [](Wide x) { return ::exp10l(x); }, 2, 1, -330, 310},
    {"math.expm1", [](double x) { return std::expm1(x); }, [](Wide x) { return std::expm1(x); }, 1.5, 1.2, -40, 720},
    {"math.log", [](double x) { return std::log(x); }, [](Wide x) { return std::log(x); }, 1, 1, 0, 3},
    {"math.log2", [](double x) { return std::log2(x); }, [](Wide x) { return std::log2(x); }, 2, 1, 0, 3},
    {"math.log10", [](double x) { return std::log10(x); }, [](Wide x) { return std::log10(x); }, 1.1, 1, 0, 3},
    {"math.log1p", [](double x) { return std::log1p(x); }, [](Wide x) { return std::log1p(x); }, 1.1, 1, -1, 3},
    {"math.sin", [](double x) { return std::sin(x); }, [](Wide x) { return std::sin(x); }, 0.51, 1, -2000, 2000},
    {"math.cos", [](double x) { return std::cos(x); }, [](Wide x) { return std::cos(x); }, 0.51, 1, -2000, 2000},
    {"math.tan", [](double x) { return std::tan(x); }, [](Wide x) { return std::tan(x); }, 0.51, 1, -2000, 2000},
    {"__nv_sinpi", sinPiOf<double>, sinPiOf<Wide>, 0.51, 1.3, -20, 20},
    {"__nv_cospi", cosPiOf<double>, cosPiOf<Wide>, 0.51, 1, -20, 20},
    {"math.asin", [](double x) { return std::asin(x); }, [](Wide x) { return std::asin(x); }, 2, 1, -1, 1},
    {"math.acos", [](double x) { return std::acos(x); }, [](Wide x) { return std::acos(x); }, 2, 1, -1, 1},
    {"math.atan", [](double x) { return std::atan(x); }, [](Wide x) { return std::atan(x); }, 2, 1, -4, 4},
    {"math.sinh", [](double x) { return std::sinh(x); }, [](Wide x) { return std::sinh(x); }, 0.51, 1, -720, 720},
    {"math.cosh", [](double x) { return std::cosh(x); }, [](Wide x) { return std::cosh(x); }, 0.51, 1, -720, 720},
    {"math.tanh", [](double x) { return std::tanh(x); }, [](Wide x) { return std::tanh(x); }, 2.3, 1, -10, 10},
    {"math.asinh", [](double x) { return std::asinh(x); }, [](Wide x) { return std::asinh(x); }, 0.51, 1, -10, 10},
    {"math.acosh", [](double x) { return std::acosh(x); }, [](Wide x) { return std::acosh(x); }, 0.51, 1, 1, 10},
    {"math.atanh", [](double x) { return std::atanh(x); }, [](Wide x) { return std::atanh(x); }, 0.51, 1, -1, 1},
    {"math.erf", [](double x) { return std::erf(x); }, [](Wide x) { return std::erf(x); }, 1.6, 1.2, -6, 6},
    {"math.erfc", [](double x) { return std::erfc(x); }, [](Wide x) { return std::erfc(x); }, 0.51, 3, -6, 28},
    {"math.sqrt", [](double x) { return std::sqrt(x); }, [](Wide x) { return std::sqrt(x); }, 0.501, 0.501, 0, 4},
    {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }, [](Wide x) { return 1 / std::sqrt(x); }, 1.5, 1.5, 0, 4},
    {"math.cbrt", [](double x) { return std::cbrt(x); }, [](Wide x) { return std::cbrt(x); }, 0.51, 1, -8, 8},
    {"__nv_rcbrt", [](double x) { return 1 / std::cbrt(x); }, [](Wide x) { return 1 / std::cbrt(x); }, 0.51, 1.5, -8,
     8},
};

const unsigned kLanes[] = {1, 8, 16};

std::vector<LaneFunction> functionsFor(const std::string &name) {
  std::vector<LaneFunction> functions;
  for (const char *type : {"f", "d"})
    for (unsigned lanes : kLanes)
      functions.push_back(
          {name + type + std::to_string(lanes), std::string(type) + ">" + type, lanes,
           [name](auto &builder, auto &target, auto values) { return emitMath(builder, target, name, values); }});
  return functions;
}

template <typename T> std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (T value : {T(0),
                  Limits::denorm_min(),
                  Limits::denorm_min() * 3,
                  Limits::min(),
                  std::nextafter(Limits::min(), T(0)),
                  T(1e-20),
                  T(0.25),
                  T(0.5),
                  T(0.75),
                  T(0.9),
                  T(1),
                  std::nextafter(T(1), T(0)),
                  std::nextafter(T(1), T(2)),
                  T(1.5),
                  T(2),
                  T(3),
                  T(10),
                  T(88.72),
                  T(88.73),
                  T(103.9),
                  T(104),
                  T(709.78),
                  T(709.79),
                  T(745.2),
                  T(1e6),
                  T(3.14159265358979323846),
                  T(1.57079632679489661923),
                  T(8388608),
                  T(8388609),
                  T(1e20),
                  Limits::max(),
                  Limits::infinity(),
                  Limits::quiet_NaN()}) {
    values.push_back(value);
    values.push_back(-value);
  }
  return values;
}

template <typename T> void pad(std::vector<T> &values) {
  while (values.size() % 16)
    values.push_back(values[values.size() / 2]);
}

template <typename T> std::vector<T> samples(const Function &function) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::vector<T> values = specials<T>();
  std::mt19937_64 random(7);
  size_t patterns = sizeof(T) == 4 ? 400000 : 40000, dense = sizeof(T) == 4 ? 200000 : 60000;
  Bits stride = Bits(-1) / Bits(patterns) | 1;
  for (size_t i = 0; i < patterns; ++i)
    values.push_back(std::bit_cast<T>(sizeof(T) == 4 ? Bits(i * stride) : Bits(random())));
  std::uniform_real_distribution<double> inside(function.from, function.to), unit(-1.0, 1.0), small(-12.0, 2.0);
  for (size_t i = 0; i < dense; ++i)
    values.push_back(T(i % 3 == 0   ? inside(random)
                       : i % 3 == 1 ? unit(random)
                                    : unit(random) * std::exp2(small(random))));
  pad(values);
  return values;
}

// The error in units of the last place; huge where one is NaN or infinite and the other is not, or a zero has the wrong
// sign.
template <typename T, typename R> double errorOf(T found, R expected) {
  using Limits = std::numeric_limits<T>;
  constexpr double kWrong = 1e9;
  if (std::isnan(expected))
    return std::isnan(found) ? 0 : kWrong;
  if (std::isinf(T(expected)) || std::isinf(found))
    return T(expected) == found                                                      ? 0
           : std::isinf(found) && std::fabs(expected) > Limits::max() * R(0.9999999) ? 0.5
                                                                                     : kWrong;
  if (expected == 0)
    return found == 0 && std::signbit(found) == std::signbit(expected) ? 0 : kWrong;
  int exponent = std::max(std::ilogb(T(expected)), Limits::min_exponent - 1);
  if (std::isnan(found))
    return kWrong;
  return double(std::fabs(R(found) - expected) / std::ldexp(R(1), exponent - (Limits::digits - 1)));
}

struct Worst {
  double error = 0, argument = 0;
};

template <typename T, typename R>
Worst measure(MathJit::Run run, const std::vector<T> &values, const std::vector<R> &expected, size_t count) {
  std::vector<T> found(count);
  run(found.data(), values.data(), nullptr, nullptr, int64_t(count));
  Worst worst;
  for (size_t i = 0; i < count; ++i)
    if (double error = errorOf(found[i], expected[i]); error > worst.error)
      worst = {error, double(values[i])};
  return worst;
}

template <typename T, typename R>
std::string check(const Function &function, R (*reference)(R), double bound,
                  std::vector<std::unique_ptr<MathJit>> &jits) {
  std::vector<T> values = samples<T>(function);
  std::vector<R> expected;
  for (T value : values)
    expected.push_back(reference(R(value)));
  std::string line;
  for (auto &jit : jits)
    for (unsigned lanes : kLanes) {
      std::string name = std::string(function.name) + (sizeof(T) == 4 ? "f" : "d") + std::to_string(lanes);
      Worst worst = measure(jit->find(name), values, expected, lanes == 16 ? values.size() : 4096);
      EXPECT_LE(worst.error, bound) << name << " at " << worst.argument << " for " << jit->level;
      char text[32];
      if (lanes == 16) {
        snprintf(text, sizeof text, " %7.3f", worst.error);
        line += text;
      }
    }
  return line;
}

// ---- Functions of two operands.

struct Binary {
  const char *name;
  double (*single)(double, double);
  Wide (*wide)(Wide, Wide);
  double bound32, bound64;
};

const Binary kBinaries[] = {
    {"math.powf", [](double x, double y) { return std::pow(x, y); }, [](Wide x, Wide y) { return std::pow(x, y); }, 3.2,
     1},
    {"math.atan2", [](double y, double x) { return std::atan2(y, x); }, [](Wide y, Wide x) { return std::atan2(y, x); },
     2.2, 2},
    {"__nv_hypot", [](double x, double y) { return std::hypot(x, y); }, [](Wide x, Wide y) { return std::hypot(x, y); },
     0.51, 1},
};

// Every pair of special values, random patterns, and moderate numbers.
template <typename T> std::pair<std::vector<T>, std::vector<T>> samplePairs() {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::vector<T> first, second, special = specials<T>();
  for (T a : special)
    for (T b : special) {
      first.push_back(a);
      second.push_back(b);
    }
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> base(0, 4), exponent(-120, 120);
  for (size_t i = 0; i < 60000; ++i) {
    bool isPattern = i % 4 == 0;
    first.push_back(isPattern ? std::bit_cast<T>(Bits(random()))
                              : T(i % 4 == 1 ? std::exp2(exponent(random)) : base(random)));
    second.push_back(isPattern ? std::bit_cast<T>(Bits(random())) : T(i % 4 == 3 ? base(random) : exponent(random)));
  }
  pad(first);
  pad(second);
  return {first, second};
}

template <typename T, typename R>
std::string checkBinary(const Binary &function, R (*reference)(R, R), double bound,
                        std::vector<std::unique_ptr<MathJit>> &jits) {
  auto [first, second] = samplePairs<T>();
  std::string line;
  for (auto &jit : jits) {
    std::string name = std::string(function.name) + (sizeof(T) == 4 ? "f" : "d");
    std::vector<T> found(first.size());
    jit->find(name)(found.data(), first.data(), second.data(), nullptr, int64_t(first.size()));
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < found.size(); ++i)
      if (double error = errorOf(found[i], reference(R(first[i]), R(second[i]))); error > worst) {
        worst = error;
        at = i;
      }
    EXPECT_LE(worst, bound) << name << " at " << first[at] << ", " << second[at] << " for " << jit->level;
    char text[32];
    snprintf(text, sizeof text, " %7.3f", worst);
    line += text;
  }
  return line;
}

TEST(Math, ofTwoOperandsIsAccurate) {
  std::vector<LaneFunction> functions;
  for (const Binary &function : kBinaries)
    for (const char *type : {"f", "d"}) {
      std::string name = function.name, letter = type;
      functions.push_back(
          {name + letter, letter + letter + ">" + letter, 16,
           [name](auto &builder, auto &target, auto values) { return emitMath(builder, target, name, values); }});
    }
  std::vector<std::unique_ptr<MathJit>> jits;
  for (const std::string &level : allLevels())
    if (canRun(level)) {
      jits.push_back(std::make_unique<MathJit>(level, functions));
      ASSERT_EQ(jits.back()->error, "");
    }
  for (const Binary &function : kBinaries) {
    std::string single = checkBinary<float>(function, function.single, function.bound32, jits);
    std::string wide = checkBinary<double>(function, function.wide, function.bound64, jits);
    printf("%-14s f32%s   f64%s\n", function.name, single.c_str(), wide.c_str());
  }
}

TEST(Math, isAccurateOnEveryLevelWithoutALibrary) {
  std::vector<LaneFunction> functions;
  for (const Function &function : kFunctions)
    for (LaneFunction &each : functionsFor(function.name))
      functions.push_back(std::move(each));
  std::vector<std::unique_ptr<MathJit>> jits;
  for (const std::string &level : allLevels()) {
    auto jit = std::make_unique<MathJit>(level, functions);
    ASSERT_EQ(jit->error, "") << level;
    if (canRun(level))
      jits.push_back(std::move(jit));
  }
  printf("largest error in units of the last place, by level\n%-14s f32 %-28s f64\n", "", "");
  for (const Function &function : kFunctions) {
    std::string single = check<float>(function, function.single, function.bound32, jits);
    std::string wide = check<double>(function, function.wide, function.bound64, jits);
    printf("%-14s f32%s   f64%s\n", function.name, single.c_str(), wide.c_str());
  }
}

// What GPUs have of their own, as far as this machine has its instructions.
TEST(Math, ofNvidiaGpusIsAccurate) {
  if (!canRun("x86-64-v3"))
    GTEST_SKIP() << "there are no fused multiply-adds";
  const codegen::MathTarget gpu{.vectorBits = 128, .hasFma = true, .isX86 = false, .isNvidia = true};
  const Function functions[] = {
      {"math.sin", [](double x) { return std::sin(x); }, nullptr, 1.6, 0, -32768, 32768},
      {"math.cos", [](double x) { return std::cos(x); }, nullptr, 1.6, 0, -32768, 32768},
      {"math.tan", [](double x) { return std::tan(x); }, nullptr, 3.5, 0, -32768, 32768},
  };
  const Function doubles[] = {
      {"math.tanh", nullptr, [](Wide x) { return std::tanh(x); }, 0, 1.5, -10, 10},
      {"math.log1p", nullptr, [](Wide x) { return std::log1p(x); }, 0, 1, -1, 3},
      {"math.erf", nullptr, [](Wide x) { return std::erf(x); }, 0, 1.5, -6, 6},
      {"math.erfc", nullptr, [](Wide x) { return std::erfc(x); }, 0, 4, -6, 28},
      {"math.exp", nullptr, [](Wide x) { return std::exp(x); }, 0, 1, -750, 720},
  };
  std::vector<LaneFunction> code;
  auto add = [&](const Function &function, std::string type) {
    for (unsigned lanes : kLanes)
      code.push_back({function.name + type + std::to_string(lanes), type + ">" + type, lanes,
                      [&, name = function.name](auto &builder, auto &, auto values) {
                        return emitMath(builder, gpu, name, values);
                      }});
  };
  for (const Function &function : functions)
    add(function, "f");
  for (const Function &function : doubles)
    add(function, "d");
  std::vector<std::unique_ptr<MathJit>> jits;
  jits.push_back(std::make_unique<MathJit>("x86-64-v3", code));
  ASSERT_EQ(jits.back()->error, "");
  for (const Function &function : functions)
    printf("%-14s f32%s\n", function.name, check<float>(function, function.single, function.bound32, jits).c_str());
  for (const Function &function : doubles)
    printf("%-14s f64%s\n", function.name, check<double>(function, function.wide, function.bound64, jits).c_str());
}

} // namespace
} // namespace nereid::cpu::test
