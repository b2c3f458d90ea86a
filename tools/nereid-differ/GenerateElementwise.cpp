// GenerateElementwise.cpp: operators, comparisons, selection and casts.
#include "Generator.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

namespace {

bool isInteger(const Variable &v) { return !isFloat(v.type.dtype) && v.type.dtype != DType::Int1; }

// An operand beside `a`: a variable whose shape broadcasts with it, or one made for it.
Variable partner(Generator &g, const Variable &a, const Generator::Predicate &isGood, DType fresh) {
  auto found = g.pick([&](const Variable &v) { return isGood(v) && broadcast(a.type.shape, v.type.shape); });
  if (found && g.chance(75) && g.count(*broadcast(a.type.shape, found->type.shape)) <= g.tileLimit)
    return *found;
  TileShape shape = a.type.shape;
  if (!shape.empty() && g.chance(25))
    shape[g.below(int64_t(shape.size()))] = {};
  return g.obtain({fresh, shape}, g.randomWish(fresh));
}

std::optional<Facts> integerResult(const Generator &g, DType dtype, double low, double high) {
  bool wraps = low < lowestOf(dtype) || high > highestOf(dtype);
  if (wraps && g.program.isDebug && bytesOf(dtype) < 8)
    return std::nullopt; // `debug` asserts that narrow integers do not overflow
  return wrapped(dtype, low, high);
}

std::optional<Facts> arithmeticFacts(const Generator &g, char op, DType dtype, const Facts &a, const Facts &b) {
  if (isFloat(dtype)) {
    if (op == '*')
      return multiplyFacts(dtype, a, b);
    return addFacts(dtype, a, op == '-' ? negateFacts(b) : b, g.options.contracts);
  }
  if (op == '+')
    return integerResult(g, dtype, a.low + b.low, a.high + b.high);
  if (op == '-')
    return integerResult(g, dtype, a.low - b.high, a.high - b.low);
  double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return integerResult(g, dtype, *std::ranges::min_element(corners), *std::ranges::max_element(corners));
}

bool finishFloat(Generator &g, const std::optional<Facts> &facts) {
  return facts && (facts->error == 0 || !g.program.isExact);
}

bool generateArithmetic(Generator &g) {
  char op = g.choose({'+', '-', '*'});
  auto isGood = [](const Variable &v) { return isArithmetic(v.type.dtype); };
  auto a = g.pick(isGood);
  if (!a)
    return false;
  if (g.chance(20)) { // with a number
    double number = double(g.between(isFloat(a->type.dtype) || isSigned(a->type.dtype) ? -5 : 0, 7));
    if (isFloat(a->type.dtype) && g.chance(40))
      number += 0.5;
    Facts constant = isFloat(a->type.dtype) ? wholeFacts(number, number) : integerFacts(number, number);
    constant.isIntegral = number == std::floor(number);
    auto facts = arithmeticFacts(g, op, a->type.dtype, a->facts, constant);
    if (!finishFloat(g, facts) || !g.spend(g.count(a->type.shape)))
      return false;
    std::string text = g.literal(a->type.dtype, number);
    bool swaps = op != '-' && g.chance(30);
    g.define(a->type, *facts, swaps ? text + " " + op + " " + a->name : a->name + " " + op + " " + text);
    return true;
  }
  Variable b = partner(g, *a, isGood, a->type.dtype);
  DType dtype = promote(a->type.dtype, b.type.dtype);
  auto left = castFacts(a->type.dtype, dtype, a->facts), right = castFacts(b.type.dtype, dtype, b.facts);
  if (!left || !right)
    return false;
  auto facts = arithmeticFacts(g, op, dtype, *left, *right);
  TileShape shape = *broadcast(a->type.shape, b.type.shape);
  if (!finishFloat(g, facts) || !g.spend(g.count(shape)))
    return false;
  g.define({dtype, shape}, *facts, a->name + " " + op + " " + b.name);
  return true;
}

// The bounds of &, | and ^ follow from the highest bit where no operand is negative.
Facts bitwiseFacts(DType dtype, char op, const Facts &a, const Facts &b) {
  if (dtype == DType::Int1)
    return integerFacts(0, 1);
  if (a.low < 0 || b.low < 0)
    return op == '&' && b.low >= 0 ? integerFacts(0, b.high) : fullFacts(dtype);
  if (op == '&')
    return integerFacts(0, std::min(a.high, b.high));
  double most = std::max(a.high, b.high);
  return wrapped(dtype, 0, std::exp2(std::floor(std::log2(most + 1)) + 1) - 1);
}

bool generateBitwise(Generator &g) {
  auto isGood = [](const Variable &v) { return !isFloat(v.type.dtype); };
  auto a = g.pick(isGood);
  if (!a)
    return false;
  char op = g.choose({'&', '|', '^'});
  auto isSameKind = [&](const Variable &v) {
    return isGood(v) && (v.type.dtype == DType::Int1) == (a->type.dtype == DType::Int1);
  };
  Variable b = partner(g, *a, isSameKind, a->type.dtype);
  DType dtype = promote(a->type.dtype, b.type.dtype);
  TileShape shape = *broadcast(a->type.shape, b.type.shape);
  if (!g.spend(g.count(shape)))
    return false;
  Facts left = *castFacts(a->type.dtype, dtype, a->facts), right = *castFacts(b.type.dtype, dtype, b.facts);
  g.define({dtype, shape}, bitwiseFacts(dtype, op, left, right), a->name + " " + op + " " + b.name);
  return true;
}

bool generateShift(Generator &g) {
  auto a = g.pick(isInteger);
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  DType dtype = a->type.dtype;
  int64_t bits = int64_t(bytesOf(dtype)) * 8;
  bool isLeft = g.chance(50);
  std::string amount = std::to_string(g.below(bits));
  Variable b = *a;
  if (g.chance(50)) {
    b = partner(g, *a, [&](const Variable &v) { return v.type.dtype == dtype; }, dtype);
    amount = g.options.isWild && g.chance(40) ? b.name : "(" + b.name + " & " + std::to_string(bits - 1) + ")";
  } else if (g.options.isWild && g.chance(30)) {
    amount = std::to_string(g.between(bits, std::min<int64_t>(2 * bits, 127)));
  }
  Facts facts = isLeft ? fullFacts(dtype) : wrapped(dtype, std::min(a->facts.low, 0.0), std::max(a->facts.high, 0.0));
  g.define({dtype, *broadcast(a->type.shape, b.type.shape)}, facts, a->name + (isLeft ? " << " : " >> ") + amount);
  return true;
}

// By 0, by -1, by anything; what is no tile is never divided by 0 without an error.
bool generateWildDivision(Generator &g) {
  auto a = g.options.isWild && !g.program.isDebug ? g.pick(isInteger) : std::nullopt; // `debug` asks for divisors
  if (!a)
    return false;
  DType dtype = a->type.dtype;
  Variable b = g.chance(30) ? g.constant(a->type, integerFacts(isSigned(dtype) ? -1 : 0, 1))
                            : partner(g, *a, [&](const Variable &v) { return v.type.dtype == dtype; }, dtype);
  TileShape shape = *broadcast(a->type.shape, b.type.shape);
  if (shape.empty() || !g.spend(g.count(shape)))
    return false;
  g.define({dtype, shape}, fullFacts(dtype), a->name + (g.chance(50) ? " // " : " % ") + b.name);
  return true;
}

bool generateIntegerDivision(Generator &g) {
  auto a = g.pick(isInteger);
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  DType dtype = a->type.dtype;
  std::string divisor = std::to_string(g.choose({1, 2, 3, 4, 7, 8, 10, 64, 100}));
  double least = std::stod(divisor), most = least;
  TileShape shape = a->type.shape;
  if (g.chance(50)) { // positive, so that the most negative number over -1 does not occur
    Variable b = partner(g, *a, [&](const Variable &v) { return v.type.dtype == dtype; }, dtype);
    int64_t mask = g.choose({3, 7, 31});
    divisor = "((" + b.name + " & " + std::to_string(mask) + ") + 1)";
    least = 1, most = double(mask + 1);
    shape = *broadcast(shape, b.type.shape);
  }
  bool isQuotient = g.chance(50);
  Facts facts = isQuotient ? wrapped(dtype, std::min(a->facts.low, 0.0), std::max(a->facts.high, 0.0))
                           : integerFacts(a->facts.low < 0 ? 1 - most : 0, a->facts.high > 0 ? most - 1 : 0);
  g.define({dtype, shape}, facts, a->name + (isQuotient ? " // " : " % ") + divisor);
  return true;
}

bool generateFloatDivision(Generator &g) {
  auto isGood = [](const Variable &v) { return isArithmetic(v.type.dtype) && bytesOf(v.type.dtype) <= 8; };
  auto a = g.pick([&](const Variable &v) { return isGood(v) && isFloat(v.type.dtype); });
  if (!a)
    return false;
  Variable b = partner(
      g, *a, [](const Variable &v) { return isFloat(v.type.dtype) && isArithmetic(v.type.dtype); }, a->type.dtype);
  DType dtype = promote(a->type.dtype, b.type.dtype, true);
  TileShape shape = *broadcast(a->type.shape, b.type.shape);
  auto left = castFacts(a->type.dtype, dtype, a->facts), right = castFacts(b.type.dtype, dtype, b.facts);
  if (!left || !right || !g.spend(g.count(shape)))
    return false;
  bool isRemainder = g.chance(20);
  if (isRemainder) {
    // Exact by definition, but a jump wherever the quotient passes a whole number.
    if (left->error + right->error > 0 || right->isZeroUnsigned)
      return false;
    Facts facts{.isSpecial = true, .isZeroUnsigned = left->isZeroUnsigned};
    g.define({dtype, shape}, facts, a->name + " % " + b.name);
    return true;
  }
  auto facts = divideFacts(dtype, *left, *right);
  if (facts && g.options.contracts && facts->error == 0) {
    if (facts->isSpecial)
      return false;
    facts->error = 2 * unitOf(dtype) * facts->magnitude();
  }
  if (!finishFloat(g, facts))
    return false;
  g.define({dtype, shape}, *facts, a->name + " / " + b.name);
  return true;
}

bool generateCompare(Generator &g) {
  auto isGood = [](const Variable &v) { return v.facts.error == 0; };
  auto a = g.pick(isGood);
  if (!a)
    return false;
  bool isBool = a->type.dtype == DType::Int1;
  auto isSameKind = [&](const Variable &v) {
    return isGood(v) && isFloat(v.type.dtype) == isFloat(a->type.dtype) && (v.type.dtype == DType::Int1) == isBool &&
           (!isFloat(v.type.dtype) || (bytesOf(v.type.dtype) > 1) == (bytesOf(a->type.dtype) > 1)) &&
           (bytesOf(a->type.dtype) > 1 || !isFloat(v.type.dtype) || v.type.dtype == a->type.dtype);
  };
  const char *op = g.choose({"==", "!=", "<", "<=", ">", ">="});
  if (isBool)
    op = g.choose({"==", "!="});
  TileShape shape = a->type.shape;
  std::string right;
  if (!isBool && a->type.dtype >= DType::Int8 && g.chance(40)) {
    bool mayBeNegative = isFloat(a->type.dtype) || isSigned(a->type.dtype);
    right = g.literal(a->type.dtype, double(g.between(mayBeNegative ? -3 : 0, 5)));
  } else {
    Variable b = partner(g, *a, isSameKind, a->type.dtype);
    if (b.facts.error > 0)
      return false;
    shape = *broadcast(shape, b.type.shape);
    right = b.name;
  }
  if (!g.spend(g.count(shape)))
    return false;
  g.define({DType::Int1, shape}, integerFacts(0, 1), a->name + " " + op + " " + right);
  return true;
}

bool generateWhere(Generator &g) {
  auto condition = g.pick([](const Variable &v) { return v.type.dtype == DType::Int1; });
  if (!condition)
    return generateCompare(g);
  Variable a = partner(g, *condition, [](const Variable &) { return true; }, g.randomType());
  auto isSameType = [&](const Variable &v) {
    auto both = broadcast(a.type.shape, v.type.shape);
    return v.type.dtype == a.type.dtype && both && broadcast(*both, condition->type.shape);
  };
  auto b = g.pick(isSameType);
  if (!b || (b->name == a.name && g.chance(80)))
    b = g.obtain(a.type, g.randomWish(a.type.dtype));
  TileShape shape = *broadcast(*broadcast(a.type.shape, b->type.shape), condition->type.shape);
  if (!g.spend(g.count(shape)))
    return false;
  g.define({a.type.dtype, shape}, unite(a.facts, b->facts),
           "tl.where(" + condition->name + ", " + a.name + ", " + b->name + ")");
  return true;
}

bool generateUnary(Generator &g) {
  auto a = g.pick([](const Variable &v) { return isArithmetic(v.type.dtype) || v.type.dtype == DType::Int1; });
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  DType dtype = a->type.dtype;
  if (dtype == DType::Int1) {
    g.define(a->type, a->facts, "~" + a->name);
    return true;
  }
  if (isFloat(dtype)) {
    bool isNegation = g.chance(50);
    g.define(a->type, isNegation ? negateFacts(a->facts) : absoluteFacts(a->facts),
             isNegation ? "-" + a->name : "tl.abs(" + a->name + ")");
    return true;
  }
  int64_t kind = g.below(3);
  if (kind == 0) {
    g.define(a->type, fullFacts(dtype), "~" + a->name);
  } else if (kind == 1 && isSigned(dtype) && (!g.program.isDebug || a->facts.low > lowestOf(dtype))) {
    g.define(a->type, wrapped(dtype, -a->facts.high, -a->facts.low), "-" + a->name);
  } else {
    Facts facts = isSigned(dtype) && a->facts.low < 0 ? fullFacts(dtype) : a->facts;
    g.define(a->type, facts, "tl.abs(" + a->name + ")");
  }
  return true;
}

bool generateCast(Generator &g) {
  auto a = g.pick([](const Variable &) { return true; });
  DType to = g.randomType();
  if (!a || to == a->type.dtype || !g.spend(g.count(a->type.shape)))
    return false;
  auto facts = castFacts(a->type.dtype, to, a->facts);
  if (!facts && g.options.isWild && isFloat(a->type.dtype) && !isFloat(to) && a->facts.error == 0)
    facts = fullFacts(to);
  if (!finishFloat(g, facts))
    return false;
  bool narrows = isFloat(to) && isFloat(a->type.dtype) && bytesOf(to) < bytesOf(a->type.dtype);
  std::string rounding;
  if (narrows && to != DType::Fp8E4B15 && g.chance(20))
    rounding = g.chance(50) ? ", fp_downcast_rounding=\"rtz\"" : ", fp_downcast_rounding=\"rtne\"";
  bool isFunction = g.chance(20);
  g.define({to, a->type.shape}, *facts,
           (isFunction ? "tl.cast(" + a->name + ", " : a->name + ".to(") + languageName(to) + rounding + ")");
  return true;
}

bool generateBitcast(Generator &g) {
  auto a = g.pick([](const Variable &v) {
    return v.facts.error == 0 && !v.facts.isSpecial && !v.facts.isZeroUnsigned && v.type.dtype != DType::Int1;
  });
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  DType to = g.randomType();
  if (bytesOf(to) != bytesOf(a->type.dtype) || to == DType::Int1 || to == a->type.dtype)
    return false;
  if (to == DType::Fp8E4B15) // every pattern is a number there
    return false;
  g.define({to, a->type.shape}, fullFacts(to), a->name + ".to(" + languageName(to) + ", bitcast=True)");
  return true;
}

bool generateExtremum(Generator &g) {
  auto isGood = [](const Variable &v) { return isArithmetic(v.type.dtype); };
  auto a = g.pick(isGood);
  if (!a)
    return false;
  auto isSameKind = [&](const Variable &v) { return isGood(v) && isFloat(v.type.dtype) == isFloat(a->type.dtype); };
  Variable b = partner(g, *a, isSameKind, a->type.dtype);
  DType left = a->type.dtype == DType::Bf16 ? DType::Fp32 : a->type.dtype;
  DType right = b.type.dtype == DType::Bf16 ? DType::Fp32 : b.type.dtype;
  DType dtype = promote(left, right);
  TileShape shape = *broadcast(a->type.shape, b.type.shape);
  auto first = castFacts(a->type.dtype, dtype, a->facts), second = castFacts(b.type.dtype, dtype, b.facts);
  if (!first || !second || !g.spend(g.count(shape)))
    return false;
  Facts facts = extremumFacts(*first, *second);
  facts.isZeroUnsigned &= isFloat(dtype);
  std::string name = g.choose({"tl.minimum(", "tl.maximum("});
  if (isFloat(dtype) && g.chance(25))
    g.define({dtype, shape}, facts, name + a->name + ", " + b.name + ", propagate_nan=tl.PropagateNan.ALL)");
  else
    g.define({dtype, shape}, facts, name + a->name + ", " + b.name + ")");
  return true;
}

bool generateClamp(Generator &g) {
  auto a = g.pick([](const Variable &v) { return v.type.dtype == DType::Fp32 || v.type.dtype == DType::Fp64; });
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  double low = double(g.between(-4, 0)), high = double(g.between(1, 4));
  Facts facts = a->facts;
  facts.low = std::clamp(facts.low, low, high), facts.high = std::clamp(facts.high, low, high);
  if (a->facts.isSpecial) // NaN gives a bound, or NaN: the bounds hold either way only without it
    facts = a->facts;
  facts.isZeroUnsigned = true, facts.fusedUnits = 0;
  g.define(a->type, facts,
           "tl.clamp(" + a->name + ", " + g.literal(DType::Fp32, low) + ", " + g.literal(DType::Fp32, high) + ")");
  return true;
}

bool generateUmulhi(Generator &g) {
  auto a = g.pick([](const Variable &v) { return isInteger(v) && bytesOf(v.type.dtype) >= 4; });
  if (!a)
    return false;
  Variable b = partner(g, *a, [&](const Variable &v) { return v.type.dtype == a->type.dtype; }, a->type.dtype);
  TileShape shape = *broadcast(a->type.shape, b.type.shape);
  if (!g.spend(g.count(shape)))
    return false;
  g.define({a->type.dtype, shape}, fullFacts(a->type.dtype), "tl.umulhi(" + a->name + ", " + b.name + ")");
  return true;
}

bool generateCreate(Generator &g) {
  int64_t kind = g.below(3);
  if (kind == 0) {
    Extent extent = g.extent(int64_t(1) << g.below(9));
    int64_t first = g.chance(60) ? 0 : g.between(1, 40);
    std::string end = first ? extent.text() + " + " + std::to_string(first) : extent.text();
    g.define({DType::Int32, {extent}}, integerFacts(double(first), double(first + g.value(extent) - 1)),
             "tl.arange(" + std::to_string(first) + ", " + end + ")");
    return true;
  }
  DType dtype = g.randomType();
  TileShape shape = g.randomShape(g.tileLimit);
  if (shape.empty() || !g.spend(g.count(shape)))
    return false;
  if (kind == 1) {
    auto like = g.pick([&](const Variable &v) { return v.type == TileType{dtype, shape}; });
    g.define({dtype, shape}, isFloat(dtype) ? wholeFacts(0, 0) : integerFacts(0, 0),
             like ? "tl.zeros_like(" + like->name + ")" : "tl.zeros(" + text(shape) + ", " + languageName(dtype) + ")");
  } else
    g.constant({dtype, shape}, dtype == DType::Int1 ? integerFacts(0, 1)
                               : isFloat(dtype)     ? wholeFacts(-4, 4)
                                                    : fullFacts(dtype));
  return true;
}

// An index tile from aranges, as kernels compute positions.
bool generateIndex(Generator &g) {
  TileShape shape = g.randomShape(g.tileLimit);
  if (shape.empty() || !g.spend(g.count(shape)))
    return false;
  std::string sum;
  double high = 0, low = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    std::string index = "tl.arange(0, " + shape[i].text() + ")";
    if (shape.size() > 1) {
      index += "[";
      for (size_t j = 0; j < shape.size(); ++j)
        index += std::string(j ? ", " : "") + (i == j ? ":" : "None");
      index += "]";
    }
    int64_t scale = g.between(-3, 9);
    sum += (i ? " + " : "") + index + " * " + (scale < 0 ? "(" + std::to_string(scale) + ")" : std::to_string(scale));
    (scale < 0 ? low : high) += double(scale * (g.value(shape[i]) - 1));
  }
  g.define({DType::Int32, shape}, integerFacts(low, high), sum);
  return true;
}

bool generateRandom(Generator &g) {
  auto offsets =
      g.pick([](const Variable &v) { return v.type.dtype == DType::Int32 || v.type.dtype == DType::UInt32; });
  if (!offsets || g.program.isDebug || !g.spend(20 * g.count(offsets->type.shape)))
    return false;
  std::string arguments = "(" + std::to_string(g.below(1000)) + ", " + offsets->name + ")";
  if (g.chance(15))
    g.defineAll(std::vector<TileType>(4, {DType::UInt32, offsets->type.shape}),
                std::vector<Facts>(4, fullFacts(DType::UInt32)), "tl.randint4x" + arguments);
  else if (!g.program.isExact && g.chance(20))
    g.define({DType::Fp32, offsets->type.shape}, {.low = -8, .high = 8, .error = 1e-4}, "tl.randn" + arguments);
  else if (g.chance(60))
    g.define({DType::UInt32, offsets->type.shape}, fullFacts(DType::UInt32), "tl.randint" + arguments);
  else
    g.define({DType::Fp32, offsets->type.shape}, {.low = 0, .high = 1, .fusedUnits = 1}, "tl.rand" + arguments);
  return true;
}

} // namespace

const std::vector<Family> &elementwiseFamilies() {
  static const std::vector<Family> kFamilies = {
      {14, true, generateArithmetic},     {5, true, generateBitwise},       {4, true, generateShift},
      {4, true, generateIntegerDivision}, {4, true, generateFloatDivision}, {6, true, generateCompare},
      {6, true, generateWhere},           {5, true, generateUnary},         {8, true, generateCast},
      {3, true, generateBitcast},         {4, true, generateExtremum},      {2, true, generateClamp},
      {1, true, generateUmulhi},          {2, true, generateCreate},        {2, true, generateIndex},
      {1, true, generateRandom},          {3, true, generateWildDivision}};
  return kFamilies;
}

} // namespace nereid::differ
