// Float.cpp: float arithmetic. Results are rounded once; "approx" forms give the accurate value.
#include "interp/ptx/Ptx.h"

#include "interp/NarrowFloat.h"

#include <bit>
#include <cmath>
#include <map>

namespace nereid::interp::ptx {

namespace {

// Arithmetic in the type itself for f32 and f64, in f64 for the narrow ones: their sums and products are exact there,
// or lose what rounding to odd keeps.
double fused(double a, double b, double c, Type type) {
  if (type.bits == 32)
    return std::fma(float(a), float(b), float(c));
  if (type.bits == 64)
    return std::fma(a, b, c);
  double product = a * b, sum = product + c, back = sum - product;
  double lost = (product - (sum - back)) + (c - back);
  if (lost != 0 && std::isfinite(sum) && !(std::bit_cast<uint64_t>(sum) & 1))
    sum = std::bit_cast<double>((lost > 0) == (sum > 0) ? std::bit_cast<uint64_t>(sum) | 1
                                                        : std::bit_cast<uint64_t>(sum) - 1);
  return sum;
}

double least(double a, double b, const Operation &op, bool wantsMaximum) {
  bool negative = false;
  if (op.has("xorsign"))
    negative = std::signbit(a) != std::signbit(b);
  if (op.has("abs"))
    a = std::fabs(a), b = std::fabs(b);
  double result;
  if (a != a || b != b)
    result = op.has("NaN") || (a != a && b != b) ? std::nan("") : a != a ? b : a;
  else if (a == b)
    result = std::signbit(a) == wantsMaximum ? b : a;
  else
    result = (a < b) == wantsMaximum ? b : a;
  return negative ? -result : result;
}

// Applies function(a, b, c, type, operation) to each lane.
template <auto function> void lanewise(const Operation &op, uint64_t *r) {
  Type type = op.type, single{type.kind, type.bits};
  uint64_t in[3] = {0, 0, 0}, result = 0;
  for (size_t i = 1; i < op.operands.size() && i < 4; ++i)
    in[i - 1] = read(op, i, r, type);
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    unsigned shift = lane * type.bits;
    double x[3];
    for (int i = 0; i < 3; ++i)
      x[i] = toDouble(flushed(lowBits(in[i] >> shift, type.bits), single, op), single);
    double value = function(x[0], x[1], x[2], type, op);
    if (op.has("relu") && !(value > 0))
      value = value != value ? value : 0;
    result |= flushed(fromDouble(value, single, op), single, op) << shift;
  }
  write(op, r, result, type);
}

// add.f32.bf16 to, a, c and fma.rn.f32.f16 to, a, b, c, where c and the result are f32.
void mixed(const Operation &op, uint64_t *r) {
  bool isFused = op.name == "fma", isDifference = op.name == "sub";
  double a = toDouble(read(op, 1, r, op.type), op.type);
  double b = isFused ? toDouble(read(op, 2, r, op.type), op.type) : 1;
  double c = toDouble(read(op, isFused ? 3 : 2, r, op.resultType), op.resultType);
  write(op, r, fromDouble(fused(a, b, isDifference ? -c : c, op.resultType), op.resultType, op), op.resultType);
}

bool isMixed(const Operation &op) {
  bool isFused = op.name == "fma";
  return (isFused || op.name == "add" || op.name == "sub") && op.resultType == Type{Kind::Float, 32} &&
         op.type.bits == 16 && op.type.lanes == 1 && op.operands.size() == (isFused ? 4 : 3) && op.hasOnly("rn sat") &&
         !op.operands[0].isImmediate;
}

struct Row {
  Execute execute;
  size_t operands;
  std::string_view modifiers;
};
using T = Type;
using O = const Operation &;

} // namespace

Execute findFloat(const Operation &op) {
  static const std::map<std::string_view, Row> kRows = {
      {"add", {inEach<lanewise<[](double a, double b, double, T, O) { return a + b; }>>, 3, "rn rz rm rp ftz sat"}},
      {"sub", {inEach<lanewise<[](double a, double b, double, T, O) { return a - b; }>>, 3, "rn rz rm rp ftz sat"}},
      {"mul", {inEach<lanewise<[](double a, double b, double, T, O) { return a * b; }>>, 3, "rn rz rm rp ftz sat"}},
      {"div",
       {inEach<lanewise<[](double a, double b, double, T, O) { return a / b; }>>, 3, "rn rz rm rp ftz approx full"}},
      {"fma",
       {inEach<lanewise<[](double a, double b, double c, T t, O) { return fused(a, b, c, t); }>>, 4,
        "rn rz rm rp ftz sat relu"}},
      {"mad",
       {inEach<lanewise<[](double a, double b, double c, T t, O) { return fused(a, b, c, t); }>>, 4,
        "rn rz rm rp ftz sat"}},
      {"neg", {inEach<lanewise<[](double a, double, double, T, O) { return -a; }>>, 2, "ftz"}},
      {"abs", {inEach<lanewise<[](double a, double, double, T, O) { return std::fabs(a); }>>, 2, "ftz"}},
      {"min",
       {inEach<lanewise<[](double a, double b, double, T, O o) { return least(a, b, o, false); }>>, 3,
        "ftz NaN xorsign abs"}},
      {"max",
       {inEach<lanewise<[](double a, double b, double, T, O o) { return least(a, b, o, true); }>>, 3,
        "ftz NaN xorsign abs"}},
      {"sqrt",
       {inEach<lanewise<[](double a, double, double, T, O) { return std::sqrt(a); }>>, 2, "rn rz rm rp ftz approx"}},
      {"rsqrt", {inEach<lanewise<[](double a, double, double, T, O) { return 1 / std::sqrt(a); }>>, 2, "approx ftz"}},
      {"rcp", {inEach<lanewise<[](double a, double, double, T, O) { return 1 / a; }>>, 2, "rn rz rm rp ftz approx"}},
      {"ex2", {inEach<lanewise<[](double a, double, double, T, O) { return std::exp2(a); }>>, 2, "approx ftz"}},
      {"lg2", {inEach<lanewise<[](double a, double, double, T, O) { return std::log2(a); }>>, 2, "approx ftz"}},
      {"sin", {inEach<lanewise<[](double a, double, double, T, O) { return std::sin(a); }>>, 2, "approx ftz"}},
      {"cos", {inEach<lanewise<[](double a, double, double, T, O) { return std::cos(a); }>>, 2, "approx ftz"}},
      {"tanh", {inEach<lanewise<[](double a, double, double, T, O) { return std::tanh(a); }>>, 2, "approx ftz"}},
  };
  if (op.type.kind != Kind::Float && op.type.kind != Kind::BFloat)
    return nullptr;
  if (isMixed(op))
    return inEach<mixed>;
  auto found = kRows.find(op.name);
  // Sums of f32 in f64 are exact enough to round once; of f64 only to nearest.
  bool isDirected = op.has("rz") || op.has("rm") || op.has("rp");
  if (found == kRows.end() || op.operands.size() != found->second.operands ||
      (isDirected && (op.type.bits == 64 || op.name == "fma")) || !op.hasOnly(found->second.modifiers) ||
      op.resultType != op.type)
    return nullptr;
  return op.operands[0].isImmediate ? nullptr : found->second.execute;
}

uint64_t flushed(uint64_t bits, Type type, const Operation &operation) {
  bool isSubnormal = type.kind == Kind::Float && type.bits == 32 && !(bits & 0x7f800000);
  return isSubnormal && operation.has("ftz") ? bits & 0x80000000 : bits;
}

} // namespace nereid::interp::ptx
