// GenerateReduce.cpp: reductions, scans, sorting and counting.
#include "Generator.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

namespace {

struct Along {
  Variable source;
  size_t axis;
  TileShape shape;       // of the result
  std::string arguments; // ", axis=0, keep_dims=True"
  double count;
};

// A tile and an axis of it to reduce, or all of it.
std::optional<Along> pickAlong(Generator &g, const Generator::Predicate &isGood, bool allowAll = true) {
  auto source = g.pick([&](const Variable &v) { return !v.type.shape.empty() && isGood(v); });
  if (!source || !g.spend(g.count(source->type.shape)))
    return std::nullopt;
  Along along{*source, size_t(g.below(int64_t(source->type.shape.size()))), source->type.shape, {}, 0};
  bool keeps = g.chance(25);
  if (allowAll && g.chance(10) && g.isEven(source->type.shape)) {
    along.shape.clear();
    along.count = double(g.count(source->type.shape));
    along.arguments = ", axis=None";
    return along;
  }
  along.count = double(g.value(along.shape[along.axis]));
  along.arguments = ", axis=" + std::to_string(along.axis);
  if (keeps) {
    along.shape[along.axis] = {};
    along.arguments += ", keep_dims=True";
  } else {
    along.shape.erase(along.shape.begin() + int64_t(along.axis));
  }
  return along;
}

bool isNumber(const Variable &v) { return isArithmetic(v.type.dtype); }

DType sumType(DType dtype) {
  if (isFloat(dtype) || bytesOf(dtype) >= 4)
    return dtype;
  return isSigned(dtype) ? DType::Int32 : DType::UInt32;
}

std::optional<Facts> sumOf(const Generator &g, DType dtype, const Facts &facts, double count) {
  if (isFloat(dtype)) {
    auto done = sumFacts(dtype, facts, count);
    return done && done->error > 0 && g.program.isExact ? std::nullopt : done;
  }
  double low = std::min(facts.low * count, 0.0), high = std::max(facts.high * count, 0.0);
  if (g.program.isDebug && (low < lowestOf(dtype) || high > highestOf(dtype)))
    return std::nullopt;
  return wrapped(dtype, low, high);
}

bool generateSum(Generator &g) {
  auto along = pickAlong(g, [](const Variable &v) { return isNumber(v) || v.type.dtype == DType::Int1; });
  if (!along)
    return false;
  DType dtype = sumType(along->source.type.dtype);
  auto facts = sumOf(g, dtype, along->source.facts, along->count);
  if (!facts)
    return false;
  g.define({dtype, along->shape}, *facts, "tl.sum(" + along->source.name + along->arguments + ")");
  return true;
}

bool generateMaximum(Generator &g) {
  auto along = pickAlong(g, isNumber);
  if (!along)
    return false;
  DType dtype = along->source.type.dtype;
  if (bytesOf(dtype) < 4)
    dtype = isFloat(dtype) ? DType::Fp32 : DType::Int32;
  Facts facts = along->source.facts;
  facts.isZeroUnsigned = isFloat(dtype), facts.fusedUnits = 0;
  g.define({dtype, along->shape}, facts,
           (g.chance(50) ? "tl.max(" : "tl.min(") + along->source.name + along->arguments + ")");
  return true;
}

bool generateArgument(Generator &g) {
  auto along =
      pickAlong(g, [](const Variable &v) { return isNumber(v) && v.facts.error == 0 && !v.facts.isSpecial; }, false);
  if (!along)
    return false;
  g.define({DType::Int32, along->shape}, integerFacts(0, along->count - 1),
           (g.chance(50) ? "tl.argmax(" : "tl.argmin(") + along->source.name + along->arguments + ")");
  return true;
}

bool generateMaximumWithIndex(Generator &g) {
  auto isGood = [](const Variable &v) {
    return isNumber(v) && bytesOf(v.type.dtype) >= 4 && v.facts.error == 0 && !v.facts.isSpecial;
  };
  auto along = pickAlong(g, isGood, false);
  if (!along)
    return false;
  Facts facts = along->source.facts;
  facts.isZeroUnsigned = isFloat(along->source.type.dtype);
  g.defineAll({{along->source.type.dtype, along->shape}, {DType::Int32, along->shape}},
              {facts, integerFacts(0, along->count - 1)},
              (g.chance(50) ? "tl.max(" : "tl.min(") + along->source.name + along->arguments +
                  ", return_indices=True)");
  return true;
}

bool generateBits(Generator &g) {
  auto along = pickAlong(g, [](const Variable &v) { return !isFloat(v.type.dtype); });
  if (!along)
    return false;
  DType dtype = along->source.type.dtype;
  g.define({dtype, along->shape}, fullFacts(dtype),
           (g.chance(60) ? "tl.xor_sum(" : "tl.reduce_or(") + along->source.name + along->arguments + ")");
  return true;
}

// One-line combinations of integers; each is associative and commutative, wrapping included.
std::string integerCombine(Generator &g, const std::string &a, const std::string &b) {
  if (g.program.isDebug)
    return g.choose({a + " ^ " + b, a + " & " + b, "tl.maximum(" + a + ", " + b + ")"});
  return g.choose({a + " * " + b, a + " ^ " + b, a + " + " + b, a + " & " + b, "tl.maximum(" + a + ", " + b + ")",
                   "tl.minimum(" + a + ", " + b + ")"});
}

bool isPlainInteger(const Variable &v) { return !isFloat(v.type.dtype) && v.type.dtype != DType::Int1; }

bool generateCustomReduce(Generator &g) {
  auto along = pickAlong(g, isPlainInteger, false);
  if (!along)
    return false;
  DType dtype = along->source.type.dtype;
  if (g.chance(50)) {
    std::string name = g.addFunction({.parameters = {"a", "b"}, .result = integerCombine(g, "a", "b")});
    std::string arguments = along->arguments;
    g.define({dtype, along->shape}, fullFacts(dtype),
             "tl.reduce(" + along->source.name + arguments + ", combine_fn=" + name + ")");
    return true;
  }
  auto other = g.pick([&](const Variable &v) { return isPlainInteger(v) && v.type.shape == along->source.type.shape; });
  std::string name = g.addFunction(
      {.parameters = {"a", "b", "c", "d"}, .result = integerCombine(g, "a", "c") + ", " + integerCombine(g, "b", "d")});
  g.defineAll(
      {{dtype, along->shape}, {other->type.dtype, along->shape}}, {fullFacts(dtype), fullFacts(other->type.dtype)},
      "tl.reduce((" + along->source.name + ", " + other->name + ")" + along->arguments + ", combine_fn=" + name + ")");
  return true;
}

// Combinations that are associative and do not commute: the order along the axis is part of the result.
bool generateOrderedReduce(Generator &g) {
  auto along = pickAlong(g, isPlainInteger, false);
  if (!along || !g.spend(2 * g.count(along->source.type.shape)))
    return false;
  TileType type = along->source.type, result{type.dtype, along->shape};
  Facts any = fullFacts(type.dtype);
  if (g.program.isDebug || g.chance(30)) { // the last one that is not 0
    std::string name = g.addFunction({.parameters = {"a", "b"}, .result = "tl.where(b != 0, b, a)"});
    g.define(result, any, "tl.reduce(" + along->source.name + along->arguments + ", combine_fn=" + name + ")");
    return true;
  }
  Variable b = g.obtain(type, any);
  bool isMatrix = g.chance(40); // of 2 x 2; else x -> a x + b, composed
  std::string sources = along->source.name + ", " + b.name;
  Function function{.parameters = {"a", "b", "c", "d"}, .result = "a * c, b * c + d"};
  if (isMatrix) {
    function = {.parameters = {"a", "b", "c", "d", "e", "f", "g", "h"},
                .result = "a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h"};
    sources += ", " + b.name + ", " + along->source.name;
  }
  std::vector<TileType> types(isMatrix ? 4 : 2, result);
  g.defineAll(types, std::vector<Facts>(types.size(), any),
              "tl.reduce((" + sources + ")" + along->arguments + ", combine_fn=" + g.addFunction(function) + ")");
  return true;
}

// The larger value and where it stands: a combination that chooses.
bool generateCustomArgument(Generator &g) {
  auto along = pickAlong(
      g,
      [](const Variable &v) {
        return (v.type.dtype == DType::Fp32 || v.type.dtype == DType::Int32) && v.facts.error == 0 &&
               !v.facts.isSpecial;
      },
      false);
  if (!along || along->source.type.shape.size() > 2)
    return false;
  TileShape shape = along->source.type.shape;
  std::string index = "tl.arange(0, " + shape[along->axis].text() + ")";
  if (shape.size() == 2)
    index += along->axis == 0 ? "[:, None]" : "[None, :]";
  Variable position = g.define({DType::Int32, shape}, integerFacts(0, along->count - 1),
                               "tl.broadcast_to(" + index + ", " + text(shape) + ")");
  Function function{.parameters = {"a", "i", "b", "j"}};
  function.body = {{.text = "(a > b) | ((a == b) & (i < j))", .defines = {{.name = "c"}}}};
  function.result = "tl.where(c, a, b), tl.where(c, i, j)";
  Facts facts = along->source.facts;
  facts.isZeroUnsigned = true;
  g.defineAll({{along->source.type.dtype, along->shape}, {DType::Int32, along->shape}},
              {facts, integerFacts(0, along->count - 1)},
              "tl.reduce((" + along->source.name + ", " + position.name + ")" + along->arguments +
                  ", combine_fn=" + g.addFunction(function) + ")");
  return true;
}

bool generateCumulative(Generator &g) {
  auto a = g.pick([](const Variable &v) { return !v.type.shape.empty() && isNumber(v); });
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  size_t axis = size_t(g.below(int64_t(a->type.shape.size())));
  double count = double(g.value(a->type.shape[axis]));
  DType dtype = a->type.dtype == DType::Bf16 ? DType::Fp32 : a->type.dtype;
  std::string arguments = a->name + ", " + std::to_string(axis) + (g.chance(40) ? ", reverse=True)" : ")");
  if (!isFloat(dtype) && g.chance(40)) {
    if (g.program.isDebug)
      return false;
    g.define({dtype, a->type.shape}, fullFacts(dtype), "tl.cumprod(" + arguments);
    return true;
  }
  dtype = sumType(dtype);
  auto facts = sumOf(g, dtype, a->facts, count);
  if (!facts)
    return false;
  g.define({dtype, a->type.shape}, *facts, "tl.cumsum(" + arguments);
  return true;
}

bool generateScan(Generator &g) {
  auto a = g.pick([](const Variable &v) { return !v.type.shape.empty() && isPlainInteger(v); });
  if (!a || !g.spend(2 * g.count(a->type.shape)))
    return false;
  DType dtype = a->type.dtype;
  std::string axis = std::to_string(g.below(int64_t(a->type.shape.size())));
  std::string end = g.chance(40) ? ", reverse=True)" : ")";
  if (g.chance(50) || g.program.isDebug) {
    std::string name = g.addFunction({.parameters = {"a", "b"}, .result = integerCombine(g, "a", "b")});
    g.define(a->type, fullFacts(dtype), "tl.associative_scan(" + a->name + ", " + axis + ", " + name + end);
    return true;
  }
  // x -> a x + b, composed: associative, and not commutative.
  Variable b = g.obtain(a->type, fullFacts(dtype));
  std::string name = g.addFunction({.parameters = {"a", "b", "c", "d"}, .result = "a * c, b * c + d"});
  g.defineAll({a->type, b.type}, {fullFacts(dtype), fullFacts(dtype)},
              "tl.associative_scan((" + a->name + ", " + b.name + "), " + axis + ", " + name + end);
  return true;
}

bool generateSort(Generator &g) {
  auto a = g.pick([&](const Variable &v) {
    return !v.type.shape.empty() && isNumber(v) && v.facts.error == 0 && (!v.facts.isSpecial || g.options.isWild) &&
           g.isEven({v.type.shape.back()});
  });
  if (!a || !g.spend(10 * g.count(a->type.shape)))
    return false;
  Facts facts = a->facts;
  facts.isZeroUnsigned = isFloat(a->type.dtype), facts.fusedUnits = 0;
  if (g.chance(60)) {
    g.define(a->type, facts, "tl.sort(" + a->name + (g.chance(50) ? ", descending=True)" : ")"));
    return true;
  }
  const Extent &last = a->type.shape.back();
  int64_t k = g.value(last) >> g.between(1, 3);
  if (k < 1)
    return false;
  TileType type = a->type;
  type.shape.back() = {k, {}};
  if (bytesOf(type.dtype) < 4)
    type.dtype = isFloat(type.dtype) ? DType::Fp32 : DType::Int32;
  g.define(type, facts, "tl.topk(" + a->name + ", " + std::to_string(k) + (g.chance(30) ? ", descending=False)" : ")"));
  return true;
}

bool generateHistogram(Generator &g) {
  auto a = g.pick([](const Variable &v) { return v.type.dtype == DType::Int32 && v.type.shape.size() == 1; });
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  Extent bins = g.extent(int64_t(1) << g.between(1, 6));
  Variable index =
      g.define(a->type, integerFacts(0, double(g.value(bins) - 1)), a->name + " & (" + bins.text() + " - 1)");
  std::string mask;
  if (g.chance(40)) {
    auto found =
        g.pick([&](const Variable &v) { return v.type.dtype == DType::Int1 && v.type.shape == a->type.shape; });
    mask = found ? ", mask=" + found->name : "";
  }
  g.define({DType::Int32, {bins}}, integerFacts(0, double(g.count(a->type.shape))),
           "tl.histogram(" + index.name + ", " + bins.text() + mask + ")");
  return true;
}

} // namespace

const std::vector<Family> &reduceFamilies() {
  static const std::vector<Family> kFamilies = {{6, true, generateSum},
                                                {4, true, generateMaximum},
                                                {2, true, generateArgument},
                                                {2, true, generateMaximumWithIndex},
                                                {2, true, generateBits},
                                                {3, false, generateCustomReduce},
                                                {3, false, generateOrderedReduce},
                                                {1, false, generateCustomArgument},
                                                {3, true, generateCumulative},
                                                {3, false, generateScan},
                                                {2, true, generateSort},
                                                {1, true, generateHistogram},
                                                {3, false, generateRowLoop}};
  return kFamilies;
}

} // namespace nereid::differ
