// GenerateControl.cpp: loops, branches, calls, early returns and assertions.
//
// What a loop carries: integers and special floats, whose facts any update keeps; and accumulators of floats, which
// nothing in the loop reads except their own update.
#include "Access.h"

#include <algorithm>

namespace nereid::differ {

namespace {

constexpr unsigned kMostDepth = 3;

bool isFree(const Variable &v) {
  if (isFloat(v.type.dtype))
    return v.facts.isSpecial && v.facts.error == 0;
  return v.type.dtype != DType::Int1;
}

// A value of the same type that the variable may take on.
std::optional<Variable> successor(Generator &g, const Variable &v) {
  return g.pick([&](const Variable &other) {
    return other.type == v.type && v.facts.covers(other.facts) && other.name != v.name;
  });
}

struct Carried {
  std::vector<Variable> free;
  std::optional<Variable> accumulator;
};

// Gives the variables that the loop will carry the facts that hold in every round.
Carried chooseCarried(Generator &g) {
  Carried carried;
  for (int64_t i = g.between(0, 2); i > 0; --i) {
    auto v = g.pick([&](const Variable &v) { return isFree(v) && v.loopLevel == g.loopLevel && v.name != "pid"; });
    if (!v || std::ranges::any_of(carried.free, [&](const Variable &other) { return other.name == v->name; }))
      continue;
    Facts facts = fullFacts(v->type.dtype);
    if (isFloat(v->type.dtype))
      facts.isZeroUnsigned = true, facts.fusedUnits = std::numeric_limits<double>::infinity();
    // A name of its own: other statements know the facts of the old one.
    carried.free.push_back(g.define(v->type, facts, v->name));
  }
  if (g.chance(50)) {
    DType dtype = g.choose({DType::Fp32, DType::Fp32, DType::Fp64, DType::Fp16});
    TileShape shape = g.randomShape(1024);
    carried.accumulator =
        g.define({dtype, shape}, wholeFacts(0, 0), "tl.full(" + text(shape) + ", 0.0, " + languageName(dtype) + ")");
  }
  return carried;
}

void eraseVariable(Generator &g, const std::string &name) {
  std::erase_if(g.variables, [&](const Variable &v) { return v.name == name; });
}

// The statements of a loop's body, ending with the updates of what it carries.
Block loopBody(Generator &g, const Carried &carried, const std::optional<Variable> &index, int64_t rounds,
               Facts &accumulated) {
  return g.collect([&] {
    g.repeats *= rounds;
    ++g.loopLevel;
    if (index)
      g.variables.push_back(*index);
    if (index)
      g.counters.push_back({index->name, int64_t(index->facts.high) + 1});
    g.statements(int(g.between(1, 4)));
    if (carried.accumulator) {
      const Variable &acc = *carried.accumulator;
      Facts wish = g.program.isExact ? wholeFacts(-4, 4) : Facts{.low = -4, .high = 4, .error = 1e-4};
      Variable added = g.obtain(acc.type, wish);
      auto total = sumFacts(acc.type.dtype, added.facts, double(rounds + 1));
      if (total && (total->error == 0 || !g.program.isExact)) {
        accumulated = unite(*total, wholeFacts(0, 0));
        g.assign(acc, accumulated, acc.name + " + " + added.name);
      }
    }
    for (const Variable &v : carried.free)
      if (auto next = successor(g, v))
        g.assign(v, v.facts, isFloat(v.type.dtype) || g.program.isDebug ? next->name : v.name + " ^ " + next->name);
    if (index)
      g.counters.pop_back();
    --g.loopLevel;
    g.repeats /= rounds;
    if (g.block->empty())
      g.effect("pass");
  });
}

// What counted a loop may be asked for behind it.
void keepCounter(Generator &g, Variable index) {
  if (!g.chance(40))
    return;
  index.loopLevel = g.loopLevel;
  g.variables.push_back(index);
}

struct Range {
  std::string call, first;
  int64_t rounds, last;
};

Range randomRange(Generator &g) {
  if (g.chance(8)) { // downwards, which the compiler must know
    int64_t rounds = g.between(0, 4), step = g.between(1, 3), end = g.below(4);
    int64_t start = end + rounds * step - (step > 1 && rounds ? g.below(step) : 0);
    std::string first = std::to_string(start);
    return {(g.chance(30) ? "tl.static_range(" : "range(") + first + ", " + std::to_string(end) + ", -" +
                std::to_string(step) + ")",
            first, rounds, start};
  }
  int64_t rounds = g.between(0, 4), start = g.chance(60) ? 0 : g.between(1, 5),
          step = g.chance(70) ? 1 : g.between(2, 3);
  int64_t end = start + rounds * step - (step > 1 && rounds ? g.below(step) : 0);
  auto number = [&](int64_t value) { return g.chance(40) ? std::to_string(value) : g.addInteger(value, value); };
  std::string name = g.chance(75) ? "range" : "tl.range";
  bool isStatic = g.chance(12);
  std::string first = isStatic ? std::to_string(start) : number(start);
  std::string last = isStatic ? std::to_string(end) : number(end);
  std::string call =
      start == 0 && step == 1
          ? last
          : first + ", " + last + (step > 1 ? ", " + (isStatic ? std::to_string(step) : number(step)) : "");
  if (isStatic)
    name = "tl.static_range";
  else if (name == "tl.range" && g.chance(60))
    call += (g.chance(60) ? ", num_stages=" : ", loop_unroll_factor=") + std::to_string(g.between(1, 3));
  return {name + "(" + call + ")", first, rounds, std::max<int64_t>(end, start)};
}

bool generateFor(Generator &g) {
  if (g.depth >= kMostDepth || !g.spend(100))
    return false;
  Carried carried = chooseCarried(g);
  Range range = randomRange(g);
  std::string name = g.newName("i");
  Variable index{.name = name,
                 .type = {DType::Int32, {}},
                 .facts = integerFacts(0, double(range.last)),
                 .loopLevel = g.loopLevel + 1};
  // A static loop's variable is a number, not a tensor.
  bool isStatic = range.call.starts_with("tl.static_range");
  Facts accumulated = wholeFacts(0, 0);
  if (carried.accumulator)
    eraseVariable(g, carried.accumulator->name);
  Statement loop{.text = "for " + name + " in " + range.call + ":", .firstIndex = name + " = " + range.first};
  loop.body = loopBody(g, carried, isStatic ? std::nullopt : std::optional(index), std::max<int64_t>(range.rounds, 1),
                       accumulated);
  g.block->push_back(std::move(loop));
  if (carried.accumulator) {
    carried.accumulator->facts = accumulated;
    g.variables.push_back(*carried.accumulator);
  }
  if (!isStatic)
    keepCounter(g, index);
  return true;
}

bool generateWhile(Generator &g) {
  if (g.depth >= kMostDepth || !g.spend(100))
    return false;
  Carried carried = chooseCarried(g);
  int64_t rounds = g.between(0, 3), step = g.chance(70) ? 1 : g.between(2, 3);
  std::string bound = g.addInteger(rounds * step - (step > 1 && rounds ? g.below(step) : 0));
  auto loaded = g.pick([](const Variable &v) { return v.type.dtype == DType::Int32 && v.type.shape.empty(); });
  if (loaded && g.chance(40)) // known at run time only
    bound = "(" + loaded->name + " & 3)", rounds = 3;
  Variable index = g.define({DType::Int32, {}}, integerFacts(0, double(rounds * step)), "pid - pid");
  eraseVariable(g, index.name);
  Facts accumulated = wholeFacts(0, 0);
  if (carried.accumulator)
    eraseVariable(g, carried.accumulator->name);
  index.loopLevel = g.loopLevel + 1;
  Statement loop{.text = "while " + index.name + " < " + bound + ":"};
  loop.body = loopBody(g, carried, index, std::max<int64_t>(rounds, 1), accumulated);
  loop.body.push_back({.text = index.name + " + " + std::to_string(step), .defines = {index}, .isFixed = true});
  g.block->push_back(std::move(loop));
  if (carried.accumulator) {
    carried.accumulator->facts = accumulated;
    g.variables.push_back(*carried.accumulator);
  }
  keepCounter(g, index);
  return true;
}

// A tile of pointers that moves on in every round.
bool generatePointerLoop(Generator &g) {
  if (g.depth >= kMostDepth)
    return false;
  DType dtype = g.choose({DType::Fp32, DType::Int32, DType::Fp16, DType::Int8, DType::Int64, DType::Fp64});
  TileType type{dtype, g.randomShape(1024)};
  int64_t rounds = g.between(1, 5), step = g.choose<int64_t>({0, 1, 7, 16, 64});
  if (type.shape.empty() || !g.spend(rounds * 2 * g.count(type.shape)))
    return false;
  Placement placement = place(g, type.shape, Use::Read);
  Facts facts, wish = isFloat(dtype) ? wholeFacts(-4, 4) : integerFacts(-10, 10);
  std::string tensor = g.inputTensor(dtype, wish, placement.span + rounds * step, facts);
  Facts total = isFloat(dtype) ? *sumFacts(dtype, facts, double(rounds)) : wrapped(dtype, -50, 50);
  Variable pointer = g.definePointer(type, tensor + " + " + placement.offsets);
  Facts zero = isFloat(dtype) ? wholeFacts(0, 0) : integerFacts(0, 0);
  Variable sum = g.define(type, zero, "tl.zeros(" + text(type.shape) + ", " + languageName(dtype) + ")");
  eraseVariable(g, sum.name);
  std::string index = g.newName("i");
  Statement loop{.text = "for " + index + " in range(" + g.addInteger(rounds, rounds) + "):",
                 .firstIndex = index + " = 0"};
  loop.body = g.collect([&] {
    Variable loaded = g.define(type, facts, "tl.load(" + pointer.name + ")");
    g.assign(sum, total, sum.name + " + " + loaded.name);
    g.assign(pointer, {}, pointer.name + " + " + (g.chance(50) ? std::to_string(step) : g.addInteger(step, step)));
  });
  g.block->push_back(std::move(loop));
  sum.facts = unite(total, zero);
  g.variables.push_back(sum);
  return true;
}

std::string scalarCondition(Generator &g, int depth = 0) {
  if (depth < 2 && g.chance(15)) {
    std::string left = scalarCondition(g, depth + 1);
    if (g.chance(25))
      return "not (" + left + ")";
    return "(" + left + g.choose({") and (", ") or ("}) + scalarCondition(g, depth + 1) + ")";
  }
  if (g.chance(12)) // known to the compiler
    return g.extent(int64_t(1) << g.between(1, 5)).text() + " >= 4";
  auto scalar = g.pick([](const Variable &v) { return v.type.shape.empty() && v.facts.error == 0; });
  if (!scalar || g.chance(40))
    return "pid " + std::string(g.choose({"==", "!=", "<", ">="})) + " " + std::to_string(g.below(3));
  if (scalar->type.dtype == DType::Int1)
    return scalar->name;
  if (isFloat(scalar->type.dtype) && !isArithmetic(scalar->type.dtype))
    return "pid % 2 == 0";
  return scalar->name + " " + std::string(g.choose({"==", "!=", "<", ">"})) + " " +
         g.literal(scalar->type.dtype, double(g.between(0, 3)));
}

// Both sides define a variable of one type, one of them may be absent when the variable exists already.
bool generateIf(Generator &g) {
  if (g.depth >= kMostDepth || !g.spend(10))
    return false;
  std::string condition = scalarCondition(g);
  auto seed = g.pick([](const Variable &) { return true; });
  if (!seed)
    return false;
  TileType type = seed->type;
  Facts wish = seed->facts.error > 0 ? seed->facts : unite(seed->facts, g.randomWish(type.dtype));
  if (isFloat(type.dtype) && wish.isSpecial && wish.error > 0)
    return false;
  Variable result{.name = g.newName("t"), .type = type, .facts = wish, .loopLevel = g.loopLevel};
  auto side = [&] {
    return g.collect([&] {
      g.statements(int(g.between(0, 3)));
      g.assign(result, wish, g.obtain(type, wish).name);
    });
  };
  Statement branch{.text = "if " + condition + ":"};
  branch.body = side();
  if (g.chance(50))
    g.assign(result, wish, seed->name);
  else
    branch.otherwise = side();
  g.block->push_back(std::move(branch));
  g.variables.push_back(result);
  return true;
}

// `a if c else b`, of numbers and of tiles.
bool generateChoice(Generator &g) {
  auto a = g.pick([](const Variable &) { return true; });
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  auto b = g.pick([&](const Variable &v) { return v.type == a->type; });
  Facts facts = unite(a->facts, b->facts);
  if (isFloat(a->type.dtype) && facts.isSpecial && facts.error > 0)
    return false;
  std::string condition = g.isInFunction ? std::to_string(g.between(1, 3)) + " > 1" : scalarCondition(g);
  g.define(a->type, facts, a->name + " if " + condition + " else " + b->name);
  return true;
}

// Some programs end early, often after work of their own.
bool generateReturn(Generator &g) {
  if (g.depth > 0 || !g.chance(30))
    return false;
  std::string one = "pid == " + std::to_string(g.below(g.programs()));
  Statement branch{.text = "if " + (g.chance(50) ? one : scalarCondition(g)) + ":"};
  branch.body = g.collect([&] {
    if (!g.chance(50))
      return;
    g.statements(int(g.between(1, 3)));
    if (auto v = g.pick([](const Variable &) { return true; }); v && g.spend(g.count(v->type.shape)))
      storeTile(g, *v);
  });
  branch.body.push_back({.text = "return", .isFixed = true});
  g.block->push_back(std::move(branch));
  return true;
}

// A function of one or two variables in scope, generated like a kernel that sees only them.
bool generateCall(Generator &g) {
  if (g.isInFunction || g.depth >= kMostDepth)
    return false;
  std::vector<Variable> arguments;
  bool isOutlined = g.chance(20);
  for (int64_t i = g.between(1, 2); i > 0; --i)
    if (auto v = g.pick([&](const Variable &v) { return !isOutlined || v.type.shape.empty(); }))
      arguments.push_back(*v);
  if (arguments.empty())
    return false;
  Function function;
  std::vector<Variable> inner, results;
  for (size_t i = 0; i < arguments.size(); ++i) {
    inner.push_back(arguments[i]);
    inner.back().name = "a" + std::to_string(i);
    function.parameters.push_back(inner.back().name);
  }
  std::vector<Variable> outer = std::exchange(g.variables, inner);
  g.isInFunction = true;
  function.body = g.collect([&] {
    g.statements(int(g.between(1, 5)));
    for (size_t i = g.variables.size(); i-- > 0 && results.size() < (isOutlined ? 1u : 2u);)
      if (!isOutlined || g.variables[i].type.shape.empty())
        results.push_back(g.variables[i]);
  });
  g.isInFunction = false;
  g.variables = std::move(outer);
  std::string call;
  for (const Variable &argument : arguments)
    call += (call.empty() ? "" : ", ") + argument.name;
  for (const Parameter &parameter : g.program.parameters)
    if (parameter.kind == Parameter::Kind::Extent && usesName(function.body, parameter.name)) {
      function.parameters.push_back(parameter.name + ": tl.constexpr");
      call += ", " + parameter.name;
    }
  std::vector<TileType> types;
  std::vector<Facts> facts;
  for (const Variable &result : results) {
    types.push_back(result.type), facts.push_back(result.facts);
    function.result += (function.result.empty() ? "" : ", ") + result.name;
  }
  if (isOutlined)
    function.decorator = "@triton.jit(noinline=True)";
  g.defineAll(types, facts, g.addFunction(function) + "(" + call + ")");
  return true;
}

bool generateAssert(Generator &g) {
  auto v = g.pick([](const Variable &v) {
    return !isFloat(v.type.dtype) && v.type.dtype != DType::Int1 && v.facts.high < 1e6 && v.facts.low > -1e6;
  });
  if (!v || !g.program.isDebug || !g.spend(g.count(v->type.shape)))
    return false;
  std::string condition = v->name + " <= " + std::to_string(int64_t(std::min(v->facts.high, highestOf(v->type.dtype))));
  g.effect("tl.device_assert(" + condition + ", \"too large\")");
  return true;
}

} // namespace

const std::vector<Family> &controlFamilies() {
  static const std::vector<Family> kFamilies = {{6, false, generateFor},         {2, false, generateWhile},
                                                {2, false, generatePointerLoop}, {5, false, generateIf},
                                                {2, false, generateReturn},      {2, true, generateChoice},
                                                {3, false, generateCall},        {3, false, generateAssert}};
  return kFamilies;
}

} // namespace nereid::differ
