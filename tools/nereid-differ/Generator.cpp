#include "Generator.h"

#include "Integers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nereid::differ {

Generator::Generator(uint64_t seed, const GeneratorOptions &options) : options(options), random(seed) {
  program.seed = seed;
  isUneven = seed % 8 == 5; // not drawn: other programs stay what they were
  isAboutProducts = options.warps && !options.integers && seed % 3 == 0;
}

using Families = std::vector<Family>;

static Families joined(std::initializer_list<const Families *> parts) {
  Families all;
  for (const Families *families : parts)
    all.insert(all.end(), families->begin(), families->end());
  return all;
}

static const Families &familiesFor(const GeneratorOptions &options) {
  static const Families kAll =
      joined({&elementwiseFamilies(), &scalarFamilies(), &mathFamilies(), &libdeviceFamilies(), &shapeFamilies(),
              &reduceFamilies(), &dotFamilies(), &memoryFamilies(), &controlFamilies()});
  static const Families kIntegers =
      joined({&integerFamilies(), &integerLoopFamilies(), &controlFamilies(), &shapeFamilies(), &memoryFamilies()});
  return options.integers ? kIntegers : kAll;
}

void Generator::statements(int count) {
  const Families &families = familiesFor(options);
  int64_t total = 0;
  auto weightOf = [&](const Family &family) {
    return hasManyProducts && family.isOfProducts ? 20 * family.weight : family.weight;
  };
  for (const Family &family : families)
    total += weightOf(family);
  for (int done = 0, tries = 0; done < count && tries < count * 6; ++tries) {
    int64_t ticket = below(total);
    size_t i = 0;
    for (; ticket >= weightOf(families[i]); ++i)
      ticket -= weightOf(families[i]);
    if (isInFunction && !families[i].isPure)
      continue;
    done += families[i].generate(*this);
  }
}

void Generator::start() {
  program.isExact = chance(isAboutProducts ? 40 : 60);
  program.isDebug = chance(8) && !options.integers; // which stops at an overflow
  static const std::array<int64_t, 3> kGrids[] = {{1, 1, 1}, {1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {5, 1, 1}, {8, 1, 1},
                                                  {2, 2, 1}, {3, 2, 1}, {1, 3, 1}, {2, 1, 2}, {2, 3, 2}, {17, 1, 1}};
  program.grid = kGrids[below(isAboutProducts ? 5 : std::size(kGrids))];
  workLimit = chance(90) ? 300'000 : 1'500'000;
  tileLimit = chance(80) ? 2048 : chance(80) ? 8192 : 65536;
  if (isAboutProducts)
    workLimit = 60'000'000;
  if (options.isLarge)
    workLimit *= 1000, tileLimit = 8192;
  std::string pid = "tl.program_id(0)";
  if (program.grid[1] * program.grid[2] > 1)
    pid += " + tl.program_id(1) * tl.num_programs(0)";
  if (program.grid[2] > 1)
    pid += " + tl.program_id(2) * tl.num_programs(0) * tl.num_programs(1)";
  block = &program.body;
  block->push_back(
      {.text = pid,
       .defines = {{.name = "pid", .type = {DType::Int32, {}}, .facts = integerFacts(0, double(programs() - 1))}}});
  variables.push_back(block->back().defines[0]);
}

// A loop of products, mostly by itself: what a back end does with one may depend on what else the kernel has.
void Generator::productStatements() {
  static const std::vector<const Family *> kLoops = [] {
    std::vector<const Family *> loops;
    for (const Family &family : dotFamilies())
      loops.insert(loops.end(), size_t(family.asLoop), &family);
    return loops;
  }();
  hasManyProducts = chance(25);
  for (int tries = 0; tries < 6; ++tries)
    if (choose(kLoops)->generate(*this))
      break;
  statements(int(hasManyProducts ? between(2, 8) : between(0, 3)));
}

Program Generator::generate() {
  start();
  if (isAboutProducts) {
    productStatements();
    finish();
    return std::move(program);
  }
  for (int64_t i = between(1, 3); i > 0; --i) {
    DType dtype = randomType();
    loadTile(*this, {dtype, randomShape(tileLimit)}, randomWish(dtype));
  }
  statements(int(chance(90) ? between(2, 16) : between(16, 40)));
  finish();
  return std::move(program);
}

void Generator::finish() {
  storeRest();
  if (options.warps) { // last: it is the same program with and without
    program.numWarps = options.isLarge ? choose({2, 4, 4, 4, 8, 8, 16}) : choose({1, 2, 4, 4, 4, 8, 8, 8, 16, 16, 32});
    program.numWarps = std::max(program.numWarps, leastWarps);
    program.numStages = choose({1, 2, 3, 3, 4, 5});
  }
}

// Whether something uses what the variable is in the end: the loop that adds to it does not.
static bool isUsedInTheEnd(const Block &block, const std::string &name) {
  size_t end = block.size();
  while (end > 0 && !definesName({block[end - 1]}, name))
    --end;
  return usesName(Block(block.begin() + int64_t(end), block.end()), name);
}

// Stores what no statement used, so that every computation shows.
void Generator::storeRest() {
  int left = 5;
  for (size_t i = variables.size(); i-- > 1 && left > 0;) {
    Variable variable = variables[i];
    bool isUsed = isUsedInTheEnd(program.body, variable.name);
    if (variable.isPointer || (isUsed && !chance(10)))
      continue;
    storeTile(*this, variable);
    --left;
  }
  Variable any = variables[below(int64_t(variables.size()))];
  if (left == 5)
    storeTile(*this, any);
}

bool Generator::spend(int64_t elements) {
  int64_t cost = elements * repeats * programs();
  if (work + cost > workLimit)
    return false;
  work += cost;
  return true;
}

Variable Generator::define(const TileType &type, const Facts &facts, const std::string &rhs) {
  return defineAll({type}, {facts}, rhs)[0];
}

std::vector<Variable> Generator::defineAll(const std::vector<TileType> &types, const std::vector<Facts> &facts,
                                           const std::string &rhs) {
  std::vector<Variable> defined;
  for (size_t i = 0; i < types.size(); ++i)
    defined.push_back({.name = newName("t"), .type = types[i], .facts = facts[i], .loopLevel = loopLevel});
  block->push_back({.text = rhs, .defines = defined});
  for (const Variable &variable : defined) {
    variables.push_back(variable);
    if (!options.assertTypes)
      continue;
    effect("tl.static_assert(" + variable.name + ".dtype == " + languageName(variable.type.dtype) + ")");
    for (size_t i = 0; i < variable.type.shape.size(); ++i)
      effect("tl.static_assert(" + variable.name + ".shape[" + std::to_string(i) +
             "] == " + variable.type.shape[i].text() + ")");
  }
  return defined;
}

Variable Generator::definePointer(const TileType &pointee, const std::string &rhs) {
  Variable variable{.name = newName("p"), .type = pointee, .isPointer = true, .loopLevel = loopLevel};
  block->push_back({.text = rhs, .defines = {variable}});
  return variable;
}

void Generator::assign(const Variable &variable, const Facts &facts, const std::string &rhs) {
  Variable changed = variable;
  changed.facts = facts;
  block->push_back({.text = rhs, .defines = {changed}});
}

void Generator::effect(const std::string &text) { block->push_back({.text = text}); }

std::string Generator::addFunction(Function function) {
  for (const Function &known : program.functions)
    if (known.body.empty() && function.body.empty() && known.result == function.result &&
        known.parameters == function.parameters && known.decorator == function.decorator)
      return known.name;
  function.name = newName("f");
  program.functions.push_back(std::move(function));
  return program.functions.back().name;
}

std::optional<Variable> Generator::pick(const Predicate &isGood) {
  std::vector<const Variable *> good;
  for (const Variable &variable : variables)
    if (!variable.isPointer && isGood(variable))
      good.push_back(&variable);
  if (good.empty())
    return std::nullopt;
  // Later ones are likelier, so that operations build on each other.
  int64_t at = std::max(below(int64_t(good.size())), below(int64_t(good.size())));
  return *good[at];
}

Variable Generator::obtain(const TileType &type, const Facts &wish) {
  auto found = pick([&](const Variable &v) { return v.type == type && wish.covers(v.facts); });
  if (found && chance(60))
    return *found;
  if (isInFunction || !spend(count(type.shape)))
    return found ? *found : constant(type, wish);
  return chance(92) ? loadTile(*this, type, wish) : constant(type, wish);
}

Variable Generator::constant(const TileType &type, const Facts &wish) {
  double low = std::max(wish.low, -4.0), high = std::min(wish.high, 4.0);
  if (!isFloat(type.dtype))
    low = std::max(low, lowestOf(type.dtype)), high = std::min(high, highestOf(type.dtype));
  if (type.dtype == DType::Fp8E4B15)
    low = std::max(low, -1.0), high = std::min(high, 1.0);
  if (low > high)
    low = high = std::isfinite(wish.low) ? wish.low : 0;
  double number = std::clamp(std::floor(low + random.uniform() * (high - low + 1)), low, high);
  Facts facts = isFloat(type.dtype) ? wholeFacts(number, number) : integerFacts(number, number);
  facts.isIntegral = facts.isIntegral && number == std::floor(number);
  return define(type, facts,
                "tl.full(" + text(type.shape) + ", " + literal(type.dtype, number) + ", " + languageName(type.dtype) +
                    ")");
}

std::string Generator::literal(DType dtype, double value) const {
  if (dtype == DType::Int1)
    return value != 0 ? "True" : "False";
  if (!isFloat(dtype))
    return std::to_string(int64_t(value));
  char buffer[40];
  snprintf(buffer, sizeof buffer, "%.9g", value);
  std::string text = buffer;
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Facts Generator::randomWish(DType dtype) {
  if (dtype == DType::Int1)
    return integerFacts(0, 1);
  if (!isFloat(dtype)) {
    if (program.isDebug || chance(50))
      return integerFacts(std::max(lowestOf(dtype), -double(between(0, 60))), double(between(1, 60)));
    return fullFacts(dtype);
  }
  double limit = std::min(exactLimitOf(dtype), double(choose<int64_t>({2, 4, 8})));
  if (program.isExact && chance(40))
    return fullFacts(dtype);
  if (chance(program.isExact ? 70 : 20))
    return wholeFacts(-limit, limit);
  double scale = choose({0.5, 1.0, 2.0});
  if (dtype == DType::Fp8E4B15)
    scale = std::min(scale, 1.0);
  return chance(70) ? Facts{.low = -scale, .high = scale} : Facts{.low = 0.25, .high = 0.25 + scale};
}

DType Generator::randomType() {
  using enum DType;
  int64_t kind = below(100);
  if (kind < 22)
    return Fp32;
  if (kind < 32)
    return choose({Fp16, Bf16});
  if (kind < 38)
    return Fp64;
  if (kind < 44)
    return choose({Fp8E4NV, Fp8E5, Fp8E4B8, Fp8E5B16, Fp8E4B15});
  if (kind < 50)
    return Int1;
  return randomInteger();
}

DType Generator::randomInteger() {
  using enum DType;
  return chance(40) ? Int32 : choose({Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64});
}

int64_t Generator::value(const Extent &extent) const {
  int64_t result = extent.factor;
  for (unsigned symbol : extent.symbols)
    result *= program.find("B" + std::to_string(symbol))->integer;
  return result;
}

Extent Generator::extent(int64_t value) {
  if (value == 1 && chance(70))
    return {};
  std::vector<unsigned> same;
  unsigned symbols = 0;
  for (const Parameter &parameter : program.parameters)
    if (parameter.kind == Parameter::Kind::Extent) {
      if (parameter.integer == value)
        same.push_back(symbols);
      ++symbols;
    }
  if (!same.empty() && (chance(80) || isInFunction))
    return {1, {choose(same)}};
  if (isInFunction || symbols >= 7)
    return {value, {}};
  program.parameters.push_back(
      {.kind = Parameter::Kind::Extent, .name = "B" + std::to_string(symbols), .integer = value});
  return {1, {symbols}};
}

// A size that is smaller and no power of two: 48, 40 or 44 for 64.
int64_t Generator::unevenExtent(int64_t most) {
  if (most < 4 || chance(40))
    return most;
  int64_t sixteenth = std::max<int64_t>(most / 16, 1);
  return most < 16 ? most / 4 * 3 : sixteenth * choose({12, 12, 10, 11});
}

Extent Generator::sizeOf(int64_t value, int64_t least) {
  return extent(isUneven ? std::max(unevenExtent(value), least) : value);
}

bool Generator::isEven(const TileShape &shape) const {
  return std::ranges::all_of(shape, [&](const Extent &extent) { return std::has_single_bit(uint64_t(value(extent))); });
}

TileShape Generator::randomShape(int64_t limit) {
  // Often the shape of another variable, so that many of them meet.
  if (!variables.empty() && chance(45))
    if (auto like = pick([&](const Variable &v) { return !v.type.shape.empty() && count(v.type.shape) <= limit; }))
      return like->type.shape;
  int64_t kind = below(100);
  size_t rank = kind < 6 ? 0 : kind < 45 ? 1 : kind < 80 ? 2 : kind < 93 ? 3 : 4;
  static const int64_t kMost[] = {0, 512, 64, 16, 8};
  TileShape shape;
  int64_t left = limit;
  for (size_t i = 0; i < rank; ++i) {
    int64_t most = std::min(left, rank == 1 && limit > 8192 ? limit : kMost[rank]);
    int64_t log = below(int64_t(std::log2(double(most))) + 1);
    if (rank == 1)
      log = std::max(log, below(int64_t(std::log2(double(most))) + 1));
    shape.push_back(sizeOf(int64_t(1) << log));
    left >>= log;
  }
  return shape;
}

std::string Generator::addInteger(int64_t value, int64_t least) {
  for (const Parameter &parameter : program.parameters)
    if (parameter.kind == Parameter::Kind::Integer && parameter.integer == value && parameter.low == double(least) &&
        chance(50))
      return parameter.name;
  program.parameters.push_back(
      {.kind = Parameter::Kind::Integer, .name = newName("n"), .low = double(least), .integer = value});
  return program.parameters.back().name;
}

Parameter &Generator::addTensor(DType dtype, int64_t count) {
  Parameter parameter{.kind = Parameter::Kind::Tensor, .name = newName("x"), .dtype = dtype, .count = count};
  parameter.seed = random.next() >> 1;
  if (chance(20))
    parameter.offset = between(1, 15);
  program.parameters.push_back(parameter);
  return program.parameters.back();
}

Parameter &Generator::parameter(const std::string &name) {
  return *std::ranges::find(program.parameters, name, &Parameter::name);
}

static Facts factsOf(const Parameter &tensor) {
  if (tensor.fill == Fill::Bits)
    return fullFacts(tensor.dtype);
  if (!isFloat(tensor.dtype))
    return integerFacts(tensor.low, tensor.high);
  Facts facts{.low = tensor.low, .high = tensor.high};
  facts.isIntegral = tensor.fill == Fill::Integers;
  return facts;
}

std::string Generator::inputTensor(DType dtype, const Facts &wish, int64_t count, Facts &facts) {
  for (Parameter &known : program.parameters)
    if (known.kind == Parameter::Kind::Tensor && known.name[0] == 'x' && known.dtype == dtype &&
        known.aliasOf.empty() && known.strides.empty() && wish.covers(factsOf(known)) && chance(40)) {
      known.count = std::max(known.count, count);
      facts = factsOf(known);
      return known.name;
    }
  return freshTensor(dtype, wish, count + (chance(50) ? below(9) : 0), facts).name;
}

Parameter &Generator::freshTensor(DType dtype, const Facts &wish, int64_t count, Facts &facts) {
  Parameter &tensor = addTensor(dtype, count);
  if (dtype == DType::Int1)
    tensor.fill = Fill::Integers, tensor.low = 0, tensor.high = 1;
  else if (wish.isSpecial || (!isFloat(dtype) && wish.covers(fullFacts(dtype))))
    tensor.fill = Fill::Bits;
  else {
    tensor.fill = wish.isIntegral || !isFloat(dtype) ? Fill::Integers : Fill::Uniform;
    tensor.low = std::max(wish.low, -1e6), tensor.high = std::min(wish.high, 1e6);
  }
  facts = factsOf(tensor);
  return tensor;
}

std::string Generator::outputTensor(DType dtype, const Facts &facts, int64_t count) {
  Parameter &tensor = addTensor(dtype, count);
  tensor.name = newName("y");
  tensor.fill = dtype == DType::Int1 ? Fill::Integers : Fill::Bits;
  tensor.high = 1;
  tensor.tolerance = facts.error, tensor.isZeroUnsigned = facts.isZeroUnsigned;
  return tensor.name;
}

Block Generator::collect(const std::function<void()> &generate) {
  Block collected;
  Block *outer = block;
  size_t visible = variables.size();
  block = &collected;
  ++depth;
  generate();
  --depth;
  variables.resize(visible);
  block = outer;
  return collected;
}

bool Generator::storeVariable(const Variable &variable) {
  storeTile(*this, variable);
  return true;
}

bool isArithmetic(DType dtype) { return isFloat(dtype) ? dtype >= DType::Fp16 : dtype != DType::Int1; }

DType promote(DType a, DType b, bool isDivision) {
  using enum DType;
  auto either = [&](DType type) { return a == type || b == type; };
  if (either(Fp64))
    return Fp64;
  if (either(Fp32))
    return Fp32;
  if (either(Fp16))
    return isDivision ? Fp32 : Fp16;
  if (either(Bf16))
    return a == b && !isDivision ? Bf16 : Fp32;
  if (isFloat(a) && isFloat(b))
    return a == b ? a : Fp16;
  size_t aBits = a == Int1 ? 1 : bytesOf(a) * 8, bBits = b == Int1 ? 1 : bytesOf(b) * 8;
  if (isSigned(a) == isSigned(b))
    return aBits > bBits ? a : b;
  if (!isSigned(a))
    return aBits >= bBits ? a : b;
  return bBits >= aBits ? b : a;
}

std::optional<TileShape> broadcast(const TileShape &a, const TileShape &b) {
  const TileShape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  TileShape result = longer;
  for (size_t i = 0; i < shorter.size(); ++i) {
    Extent &left = result[result.size() - 1 - i];
    const Extent &right = shorter[shorter.size() - 1 - i];
    if (left.isOne())
      left = right;
    else if (!right.isOne() && !(left == right))
      return std::nullopt;
  }
  return result;
}

} // namespace nereid::differ
