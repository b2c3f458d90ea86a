// Math.cpp: the modules math and operator.
#include "lang/evaluate/Arithmetic.h"
#include "lang/evaluate/library/Tables.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace nereid::lang {

namespace {

[[noreturn]] void failDomain(LibraryCall &call) {
  call.session().fail("math domain error: `" + std::string(call.function.name) + "(" + repr(call[0]) + ")`");
}

// What a function of libm gives: nan out of numbers is an error in Python, and so is inf out of finite numbers.
double checked(LibraryCall &call, double result, bool isSingular = false) {
  bool isAnyNan = std::isnan(call.number(0)), areFinite = std::isfinite(call.number(0));
  if (call.arguments.size() > 1) {
    isAnyNan |= std::isnan(call.number(1));
    areFinite &= std::isfinite(call.number(1));
  }
  if ((std::isnan(result) && !isAnyNan) || (isSingular && std::isinf(result) && areFinite))
    failDomain(call);
  if (std::isinf(result) && areFinite)
    call.session().fail("math range error: `" + std::string(call.function.name) + "(" + repr(call[0]) + ")`", {},
                        "OverflowError");
  return result;
}

template <double (*Compute)(double)> Value real(LibraryCall &call) { return checked(call, Compute(call.number(0))); }
// The same for those that are infinite at some number.
template <double (*Compute)(double)> Value singular(LibraryCall &call) {
  return checked(call, Compute(call.number(0)), /*isSingular=*/true);
}

template <double (*Round)(double)> Value rounded(LibraryCall &call) {
  if (auto whole = call[0].integer())
    return *whole;
  return wholeOf(call.session(), Round(call.number(0)));
}

// Python's log has no answer for 0 and below, and one for nan.
template <double (*Log)(double)> double logarithmOf(LibraryCall &call, size_t index) {
  double value = call.number(index);
  if (value <= 0)
    failDomain(call);
  return Log(value);
}
template <double (*Log)(double)> Value positiveLogarithm(LibraryCall &call) { return logarithmOf<Log>(call, 0); }
Value logarithm(LibraryCall &call) {
  double value = logarithmOf<std::log>(call, 0);
  return call[1] ? call.eval.binary(syntax::BinaryOperator::Div, value, logarithmOf<std::log>(call, 1)) : Value(value);
}

Value power(LibraryCall &call) {
  double base = call.number(0), exponent = call.number(1), result = std::pow(base, exponent);
  return checked(call, result, /*isSingular=*/base == 0);
}
Value remainderOf(LibraryCall &call) {
  double result = std::fmod(call.number(0), call.number(1));
  return checked(call, result);
}
Value copySign(LibraryCall &call) { return std::copysign(call.number(0), call.number(1)); }
Value arcTangent2(LibraryCall &call) { return std::atan2(call.number(0), call.number(1)); }
Value isNan(LibraryCall &call) { return bool(std::isnan(call.number(0))); }
Value isInfinite(LibraryCall &call) { return bool(std::isinf(call.number(0))); }
Value isFinite(LibraryCall &call) { return bool(std::isfinite(call.number(0))); }

using Unsigned = unsigned __int128;

Unsigned magnitude(LibraryCall &call, const Value &value) {
  if (!value.integer())
    call.session().fail("`" + std::string(call.function.name) + "` expects integers, not " + repr(value), {},
                        "TypeError");
  return *value.integer() < 0 ? -Unsigned(*value.integer()) : Unsigned(*value.integer());
}
Value fitting(LibraryCall &call, Unsigned value) {
  if (value >> 127)
    failOverflow(call.session());
  return Integer(value);
}
Unsigned divisorOf(Unsigned a, Unsigned b) {
  while (b)
    std::tie(a, b) = std::pair(b, a % b);
  return a;
}

Value greatestDivisor(LibraryCall &call) {
  Unsigned result = 0;
  for (const Value &value : call[0].asTuple()->items)
    result = divisorOf(result, magnitude(call, value));
  return fitting(call, result);
}

Value leastMultiple(LibraryCall &call) {
  Unsigned result = 1;
  for (const Value &value : call[0].asTuple()->items) {
    Unsigned factor = magnitude(call, value);
    if (result && __builtin_mul_overflow(result / divisorOf(result, factor), factor, &result))
      failOverflow(call.session());
  }
  return fitting(call, result);
}

Value integerRoot(LibraryCall &call) {
  Integer value = call.integer(0);
  if (value < 0)
    call.session().fail("`math.isqrt` of a negative number");
  Unsigned low = 0, high = (Unsigned(1) << 64) - 1; // low*low <= value < high*high
  while (high - low > 1) {
    Unsigned middle = low + (high - low) / 2;
    (middle * middle <= Unsigned(value) ? low : high) = middle;
  }
  return Integer(low);
}

Value product(LibraryCall &call) {
  Value result = call[1] ? call[1] : Value(1);
  for (const Value &item : call.eval.iterate(call[0]))
    result = call.eval.binary(syntax::BinaryOperator::Mult, result, item);
  return result;
}

Value factorial(LibraryCall &call) {
  Value result = 1;
  if (call.integer(0) < 0)
    call.session().fail("`math.factorial` of a negative number");
  if (call.integer(0) > 33)
    call.session().fail("`math.factorial` is supported from 0 to 33", {}, "NotImplementedError");
  for (Integer i = 2; i <= call.integer(0); ++i)
    result = call.eval.binary(syntax::BinaryOperator::Mult, result, Value(i));
  return result;
}

const LibraryFunction mathFunctions[] = {
    {"math.sqrt", "x", real<std::sqrt>},
    {"math.exp", "x", real<std::exp>},
    {"math.exp2", "x", real<std::exp2>},
    {"math.expm1", "x", real<std::expm1>},
    {"math.log", "x base?", logarithm},
    {"math.log2", "x", positiveLogarithm<std::log2>},
    {"math.log10", "x", positiveLogarithm<std::log10>},
    {"math.log1p", "x", singular<std::log1p>},
    {"math.sin", "x", real<std::sin>},
    {"math.cos", "x", real<std::cos>},
    {"math.tan", "x", real<std::tan>},
    {"math.asin", "x", real<std::asin>},
    {"math.acos", "x", real<std::acos>},
    {"math.atan", "x", real<std::atan>},
    {"math.atan2", "y x", arcTangent2},
    {"math.sinh", "x", real<std::sinh>},
    {"math.cosh", "x", real<std::cosh>},
    {"math.tanh", "x", real<std::tanh>},
    {"math.erf", "x", real<std::erf>},
    {"math.erfc", "x", real<std::erfc>},
    {"math.fabs", "x", real<std::fabs>},
    {"math.floor", "x", rounded<std::floor>},
    {"math.ceil", "x", rounded<std::ceil>},
    {"math.trunc", "x", rounded<std::trunc>},
    {"math.pow", "x y", power},
    {"math.fmod", "x y", remainderOf},
    {"math.copysign", "x y", copySign},
    {"math.isnan", "x", isNan},
    {"math.isinf", "x", isInfinite},
    {"math.isfinite", "x", isFinite},
    {"math.gcd", "*values", greatestDivisor},
    {"math.lcm", "*values", leastMultiple},
    {"math.isqrt", "x", integerRoot},
    {"math.prod", "iterable start?", product},
    {"math.factorial", "x", factorial},
};

void populateMath(Scope &globals) {
  globals.names["pi"] = std::numbers::pi;
  globals.names["e"] = std::numbers::e;
  globals.names["tau"] = 2 * std::numbers::pi;
  globals.names["inf"] = double(INFINITY);
  globals.names["nan"] = double(NAN);
}

template <syntax::BinaryOperator Op> Value binary(LibraryCall &call) { return call.eval.binary(Op, call[0], call[1]); }
template <syntax::CompareOperator Op> Value compared(LibraryCall &call) {
  return call.eval.compare(Op, call[0], call[1]);
}
Value negate(LibraryCall &call) { return call.eval.unary(syntax::UnaryOperator::USub, call[0]); }
Value invert(LibraryCall &call) { return call.eval.unary(syntax::UnaryOperator::Invert, call[0]); }
Value negation(LibraryCall &call) { return !call.eval.truth(call[0]); }
Value item(LibraryCall &call) { return call.eval.subscript(call[0], call[1]); }

Value applyGetter(LibraryCall &call) {
  Values picked;
  for (const Value &key : call.eval.iterate(call[0]))
    picked.push_back(call.eval.subscript(call[1], key));
  return picked.size() == 1 ? picked[0] : Value::tuple(std::move(picked));
}
const LibraryFunction itemGetter{"operator.itemgetter", "keys object", applyGetter};
Value makeItemGetter(LibraryCall &call) { return makeMethod(call[0], &itemGetter); }

Value applyAttributeGetter(LibraryCall &call) {
  if (Value found = call.eval.attribute(call[1], call.text(0)))
    return found;
  call.session().fail("`" + typeName(call[1]) + "` has no attribute `" + call.text(0) + "`", {}, "AttributeError");
}
const LibraryFunction attributeGetter{"operator.attrgetter", "name object", applyAttributeGetter};
Value makeAttributeGetter(LibraryCall &call) { return makeMethod(call[0], &attributeGetter); }

using B = syntax::BinaryOperator;
using C = syntax::CompareOperator;
const LibraryFunction operatorFunctions[] = {
    {"operator.add", "a b", binary<B::Add>},
    {"operator.sub", "a b", binary<B::Sub>},
    {"operator.mul", "a b", binary<B::Mult>},
    {"operator.truediv", "a b", binary<B::Div>},
    {"operator.floordiv", "a b", binary<B::FloorDiv>},
    {"operator.mod", "a b", binary<B::Mod>},
    {"operator.pow", "a b", binary<B::Pow>},
    {"operator.lshift", "a b", binary<B::LShift>},
    {"operator.rshift", "a b", binary<B::RShift>},
    {"operator.and_", "a b", binary<B::BitAnd>},
    {"operator.or_", "a b", binary<B::BitOr>},
    {"operator.xor", "a b", binary<B::BitXor>},
    {"operator.eq", "a b", compared<C::Eq>},
    {"operator.ne", "a b", compared<C::NotEq>},
    {"operator.lt", "a b", compared<C::Lt>},
    {"operator.le", "a b", compared<C::LtE>},
    {"operator.gt", "a b", compared<C::Gt>},
    {"operator.ge", "a b", compared<C::GtE>},
    {"operator.is_", "a b", compared<C::Is>},
    {"operator.is_not", "a b", compared<C::IsNot>},
    {"operator.neg", "a", negate},
    {"operator.invert", "a", invert},
    {"operator.not_", "a", negation},
    {"operator.getitem", "a b", item},
    {"operator.itemgetter", "*keys", makeItemGetter},
    {"operator.attrgetter", "name", makeAttributeGetter},
};

} // namespace

const LibraryModule mathModule{"math", mathFunctions, populateMath}, operatorModule{"operator", operatorFunctions};

} // namespace nereid::lang
