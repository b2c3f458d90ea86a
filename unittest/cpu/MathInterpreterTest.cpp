// MathInterpreterTest.cpp: every function that the interpreter has and that has inline code means the same in both, for
// special values and for random ones.
#include "MathJit.h"

#include "codegen/math/Math.h"
#include "interp/Kernels.h"
#include "interp/Libdevice.h"

#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

namespace nereid::cpu::test {
namespace {

using interp::Element;

struct Case {
  std::string name;
  std::string signature;
  interp::Kernel kernel;
};

char letterOf(Element element) {
  switch (element) {
  case Element::F32: return 'f';
  case Element::F64: return 'd';
  case Element::I1: return 't';
  case Element::I64: return 'l';
  default: return 'i';
  }
}

// Functions that round more than once; the others are exact or round once, and have to agree to the bit.
const char *const kApproximate[] = {"exp", "log", "sin",   "cos",  "tan",   "asin", "acos", "atan",
                                    "erf", "pow", "rsqrt", "cbrt", "hypot", "norm", "fast_"};
bool isApproximate(const std::string &name) {
  for (const char *part : kApproximate)
    if (name.find(part) != std::string::npos)
      return true;
  return false;
}

std::vector<Case> mathCases() {
  std::vector<Case> cases;
  auto add = [&](const char *name, size_t arity, bool isTest) {
    for (Element element : {Element::F32, Element::F64}) {
      std::string signature(arity, letterOf(element));
      cases.push_back(
          {name, signature + ">" + letterOf(isTest ? Element::I1 : element), interp::findKernel(name, element)});
    }
  };
  for (const char *name :
       {"math.exp",   "math.exp2",      "math.expm1",  "math.log",   "math.log2",  "math.log10", "math.log1p",
        "math.sin",   "math.cos",       "math.tan",    "math.asin",  "math.acos",  "math.atan",  "math.sinh",
        "math.cosh",  "math.tanh",      "math.asinh",  "math.acosh", "math.atanh", "math.erf",   "math.erfc",
        "math.cbrt",  "math.rsqrt",     "math.sqrt",   "math.absf",  "math.floor", "math.ceil",  "math.trunc",
        "math.round", "math.roundeven", "tile.sqrt_rn"})
    add(name, 1, false);
  for (const char *name : {"math.isnan", "math.isinf", "math.isfinite", "math.isnormal"})
    add(name, 1, true);
  for (const char *name : {"math.atan2", "math.powf", "math.copysign", "arith.maxnumf", "arith.minnumf",
                           "arith.maximumf", "arith.minimumf", "tile.div_rn", "arith.remf"})
    add(name, 2, false);
  for (const char *name : {"math.fma", "math.clampf"})
    add(name, 3, false);
  return cases;
}

std::vector<Case> deviceCases() {
  interp::DeviceFunctions functions;
  interp::addIntegerDeviceFunctions(functions);
  interp::addRoundingDeviceFunctions(functions);
  interp::addConversionDeviceFunctions(functions);
  interp::addMathDeviceFunctions(functions);
  interp::addSpecialDeviceFunctions(functions);
  std::vector<Case> cases;
  for (const interp::DeviceFunction &function : functions) {
    std::string signature;
    for (Element element : function.operands)
      signature += letterOf(element);
    cases.push_back({std::string(function.symbol), signature + ">" + letterOf(function.result), function.kernel});
  }
  return cases;
}

// ---- Operands.

template <typename T> T sampleFloat(std::mt19937_64 &random) {
  using Limits = std::numeric_limits<T>;
  static const T kSpecial[] = {0,
                               1,
                               2,
                               3,
                               T(0.5),
                               T(1.5),
                               T(2.5),
                               T(0.1),
                               10,
                               T(1e10),
                               T(8388607.5),
                               T(4503599627370495.5),
                               Limits::denorm_min(),
                               Limits::min(),
                               Limits::max(),
                               Limits::infinity(),
                               Limits::quiet_NaN(),
                               Limits::epsilon(),
                               T(2147483647),
                               T(4294967296.0)};
  uint64_t choice = random();
  T sign = choice & 1 ? T(-1) : T(1);
  if (choice % 5 < 2)
    return sign * kSpecial[random() % std::size(kSpecial)];
  if (choice % 5 < 4)
    return sign * T(std::uniform_real_distribution<double>(0, choice % 3 ? 4 : 100)(random));
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<T>(Bits(random()));
}

// `count` values of a type, eight bytes apart at most.
std::vector<uint64_t> sampleColumn(char type, size_t count, std::mt19937_64 &random) {
  std::vector<uint64_t> column(count);
  auto fill = [&]<typename T>(T *values) {
    for (size_t i = 0; i < count; ++i)
      if constexpr (std::is_floating_point_v<T>)
        values[i] = sampleFloat<T>(random);
      else
        values[i] = T(random() % 3 ? random() >> (random() % 64) : random() % 7 - 3);
  };
  switch (type) {
  case 'f': fill(reinterpret_cast<float *>(column.data())); break;
  case 'd': fill(column.data() ? reinterpret_cast<double *>(column.data()) : nullptr); break;
  case 'l': fill(reinterpret_cast<int64_t *>(column.data())); break;
  default: fill(reinterpret_cast<int32_t *>(column.data()));
  }
  return column;
}

// ---- Comparison.

template <typename T> bool agree(T found, T expected, const std::string &name) {
  if (std::isnan(found) || std::isnan(expected))
    return std::isnan(found) && std::isnan(expected);
  // C leaves the sign of a zero open there.
  if (found == 0 && expected == 0 && (name.find("fmax") != std::string::npos || name.find("fmin") != std::string::npos))
    return true;
  if (!isApproximate(name) || found == expected || std::isinf(found) || std::isinf(expected))
    return found == expected && std::signbit(found) == std::signbit(expected);
  // Roots of the C library are up to four units off in f64.
  double bound = name.find("cbrt") != std::string::npos ? 6 : 3.5;
  int exponent = std::max(std::ilogb(expected), std::numeric_limits<T>::min_exponent - 1);
  return std::fabs(double(found) - double(expected)) <=
         bound * std::ldexp(1.0, exponent - (std::numeric_limits<T>::digits - 1));
}

// The C++ library's norm of three numbers is NaN where one is infinite, and CUDA's is infinite, as is ours; near the
// largest number the library also misses an overflow.
bool isLargeNorm(const Case &test, const std::vector<std::vector<uint64_t>> &operands, size_t i) {
  if (test.name.find("norm3d") == std::string::npos)
    return false;
  bool isSingle = test.signature[0] == 'f';
  for (const std::vector<uint64_t> &operand : operands)
    if (std::fabs(isSingle ? double(reinterpret_cast<const float *>(operand.data())[i])
                           : reinterpret_cast<const double *>(operand.data())[i]) > 1e300)
      return true;
  return false;
}

template <typename T>
std::string compareAs(const Case &test, const void *found, const void *expected, size_t count,
                      const std::vector<std::vector<uint64_t>> &operands) {
  for (size_t i = 0; i < count; ++i) {
    T f = static_cast<const T *>(found)[i], e = static_cast<const T *>(expected)[i];
    bool same;
    if constexpr (std::is_floating_point_v<T>)
      same = agree(f, e, test.name);
    else
      same = f == e;
    if (same || isLargeNorm(test, operands, i))
      continue;
    std::string text = test.name + "(";
    for (size_t k = 0; k < operands.size(); ++k) {
      char type = test.signature[k];
      const void *column = operands[k].data();
      text += k ? ", " : "";
      char buffer[64];
      if (type == 'f' || type == 'd')
        snprintf(buffer, sizeof buffer, "%.17g",
                 type == 'f' ? double(static_cast<const float *>(column)[i]) : static_cast<const double *>(column)[i]);
      else
        snprintf(buffer, sizeof buffer, "%lld",
                 type == 'l' ? (long long)static_cast<const int64_t *>(column)[i]
                             : (long long)static_cast<const int32_t *>(column)[i]);
      text += buffer;
    }
    return text + ") gives " + std::to_string(f) + ", the interpreter " + std::to_string(e);
  }
  return "";
}

std::string run(const Case &test, MathJit::Run code) {
  constexpr size_t kCount = 7680; // a multiple of all lane counts
  std::mt19937_64 random(11);
  size_t arity = test.signature.find('>');
  std::vector<std::vector<uint64_t>> operands;
  for (size_t i = 0; i < arity; ++i)
    operands.push_back(sampleColumn(test.signature[i], kCount, random));
  const void *pointers[3] = {};
  for (size_t i = 0; i < arity; ++i)
    pointers[i] = operands[i].data();
  std::vector<uint64_t> found(kCount), expected(kCount);
  code(found.data(), pointers[0], pointers[1], pointers[2], kCount);
  test.kernel(expected.data(), pointers[0], pointers[1], pointers[2], kCount);
  switch (test.signature.back()) {
  case 'f': return compareAs<float>(test, found.data(), expected.data(), kCount, operands);
  case 'd': return compareAs<double>(test, found.data(), expected.data(), kCount, operands);
  case 'l': return compareAs<int64_t>(test, found.data(), expected.data(), kCount, operands);
  case 't': { // the interpreter has a byte
    std::vector<int32_t> wide(kCount);
    for (size_t i = 0; i < kCount; ++i)
      wide[i] = reinterpret_cast<const uint8_t *>(expected.data())[i];
    return compareAs<int32_t>(test, found.data(), wide.data(), kCount, operands);
  }
  default: return compareAs<int32_t>(test, found.data(), expected.data(), kCount, operands);
  }
}

// Whether there is inline code for a case; asked in a module that is thrown away.
bool hasCode(const std::string &level, const Case &test) {
  llvm::LLVMContext context;
  llvm::Module module("probe", context);
  llvm::IRBuilder<> builder(context);
  auto typeOf = [&](char letter) -> llvm::Type * {
    return letter == 'f'   ? builder.getFloatTy()
           : letter == 'd' ? builder.getDoubleTy()
           : letter == 'l' ? static_cast<llvm::Type *>(builder.getInt64Ty())
                           : builder.getInt32Ty();
  };
  std::vector<llvm::Type *> types;
  for (size_t i = 0; test.signature[i] != '>'; ++i)
    types.push_back(typeOf(test.signature[i]));
  auto *function = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                          llvm::Function::ExternalLinkage, "f", module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  llvm::SmallVector<llvm::Value *> operands;
  for (llvm::Argument &argument : function->args())
    operands.push_back(&argument);
  return emitMath(builder, *findTarget(level), test.name, operands) != nullptr;
}

void checkAll(const std::vector<Case> &cases, std::set<std::string> &without) {
  for (const std::string &level : allLevels()) {
    std::vector<LaneFunction> functions;
    std::vector<std::pair<std::string, const Case *>> present;
    for (const Case &test : cases) {
      if (!hasCode(level, test)) {
        without.insert(test.name);
        continue;
      }
      std::string symbol = test.name + " " + test.signature, name = test.name;
      present.push_back({symbol, &test});
      functions.push_back({symbol, test.signature, 8, [name](auto &builder, auto &target, auto values) {
                             return emitMath(builder, target, name, values);
                           }});
    }
    MathJit jit(level, functions);
    ASSERT_EQ(jit.error, "") << level;
    if (canRun(level))
      for (auto &[symbol, test] : present)
        EXPECT_EQ(run(*test, jit.find(symbol)), "") << level;
  }
}

TEST(MathInterpreter, theMathDialectMeansTheSame) {
  std::set<std::string> without;
  checkAll(mathCases(), without);
  // No fused multiply-add of doubles without the instruction; the caller asks the interpreter there.
  EXPECT_EQ(without, std::set<std::string>{"math.fma"});
}

// Registers are joined, split and filled up: inlined code, functions of the module, and conversions on the way.
TEST(MathInterpreter, everyNumberOfLanesMeansTheSame) {
  std::vector<Case> cases;
  for (const Case &test : mathCases())
    if (test.name == "math.exp" || test.name == "math.log" || test.name == "math.sin" || test.name == "math.powf")
      cases.push_back(test);
  for (const std::string &level : allLevels()) {
    std::vector<LaneFunction> functions;
    std::vector<std::pair<std::string, const Case *>> present;
    for (const Case &test : cases)
      for (unsigned lanes : {1, 3, 4, 5, 32, 48}) {
        std::string symbol = test.name + " " + test.signature + std::to_string(lanes), name = test.name;
        present.push_back({symbol, &test});
        functions.push_back({symbol, test.signature, lanes, [name](auto &builder, auto &target, auto values) {
                               return emitMath(builder, target, name, values);
                             }});
      }
    MathJit jit(level, functions);
    ASSERT_EQ(jit.error, "") << level;
    if (canRun(level))
      for (auto &[symbol, test] : present)
        EXPECT_EQ(run(*test, jit.find(symbol)), "") << symbol << " for " << level;
  }
}

// Rounding modes that vectors do not have, conversions that the front end writes as ops, and special functions without
// a short form: these stay the interpreter's.
const char *const kWithoutCode[] = {"_rz",    "_rd",    "_ru",      "2float_rn",  "2double_rn", "bessel",
                                    "gamma",  "erfinv", "erfcinv",  "erfcx",      "cdfinv",     "rcp64h",
                                    "__nv_j", "__nv_y", "__nv_fma", "__nv_ldexp", "__nv_scalbn"};

TEST(MathInterpreter, libdeviceMeansTheSame) {
  std::set<std::string> without;
  checkAll(deviceCases(), without);
  for (const std::string &name : without)
    EXPECT_TRUE(std::any_of(std::begin(kWithoutCode), std::end(kWithoutCode),
                            [&](const char *part) { return name.find(part) != std::string::npos; }))
        << name << " has no code";
}

} // namespace
} // namespace nereid::cpu::test
