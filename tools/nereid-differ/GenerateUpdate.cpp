// GenerateUpdate.cpp: memory that a program both reads and writes: tensors updated in place, windows that overlap,
// two arguments for one memory, and atomic operations.
#include "Access.h"

#include <algorithm>

namespace nereid::differ {

const std::vector<Family> &updateFamilies();

namespace {

// A computation with the loaded value whose result has its type.
std::optional<std::pair<std::string, Facts>> changed(Generator &g, const Variable &loaded) {
  DType dtype = loaded.type.dtype;
  Variable other = g.obtain(loaded.type, g.randomWish(dtype));
  if (!isArithmetic(dtype))
    return std::pair(other.name, other.facts);
  if (isFloat(dtype)) {
    auto facts = addFacts(dtype, loaded.facts, other.facts, g.options.contracts);
    if (!facts || (facts->error > 0 && g.program.isExact))
      return std::nullopt;
    return std::pair(loaded.name + " + " + other.name, *facts);
  }
  return std::pair(loaded.name + " ^ " + other.name, fullFacts(dtype));
}

// Every program has a segment of its own, which it reads and then writes, possibly `shift` elements further on.
bool generateInPlace(Generator &g) {
  DType dtype = g.loopLevel > 0 ? g.randomInteger() : g.randomType();
  TileShape shape = g.randomShape(std::min<int64_t>(g.tileLimit, 1024));
  if (shape.empty() || !g.spend(3 * g.count(shape)))
    return false;
  Placement placement = place(g, shape, Use::Write);
  int64_t shift = g.chance(40) ? g.between(1, 9) : 0, segment = placement.span + shift;
  std::string base = g.programs() > 1 ? "pid * " + std::to_string(segment) + " + " : "";
  Facts facts;
  // In a loop, later rounds read what earlier ones wrote: only what any value may be added to.
  Facts wish = g.loopLevel > 0 ? fullFacts(dtype) : g.randomWish(dtype);
  Parameter &tensor = g.freshTensor(dtype, wish, segment * g.programs(), facts);
  tensor.name[0] = 'z';
  std::string name = tensor.name, source = name, target = name;
  if (g.chance(30)) { // a second name for the memory
    Parameter alias{.kind = Parameter::Kind::Tensor,
                    .name = g.newName("a"),
                    .dtype = dtype,
                    .count = tensor.count,
                    .aliasOf = name};
    alias.offset = shift ? g.below(shift + 1) : 0;
    alias.count -= alias.offset;
    shift -= alias.offset;
    target = alias.name;
    g.program.parameters.push_back(alias);
  }
  bool isForward = g.chance(50);
  std::string back = shift ? " + " + std::to_string(shift) : "";
  Variable loaded = g.define({dtype, shape}, facts,
                             "tl.load(" + source + " + " + base + placement.offsets + (isForward ? "" : back) + ")");
  auto value = changed(g, loaded);
  if (!value || (g.loopLevel > 0 && value->second.error > 0))
    value = std::pair(loaded.name, loaded.facts);
  if (g.options.barriers || g.chance(30))
    g.effect("tl.debug_barrier()");
  std::string mask = g.chance(30) ? ", mask=" + maskFor(g, shape, placement) : "";
  g.effect("tl.store(" + target + " + " + base + placement.offsets + (isForward ? back : "") + ", " + value->first +
           mask + ")");
  if (g.options.barriers && g.loopLevel > 0) // the next iteration loads it
    g.effect("tl.debug_barrier()");
  Parameter &written = g.parameter(name);
  written.tolerance = value->second.error, written.isZeroUnsigned = value->second.isZeroUnsigned;
  return true;
}

// Windows of one segment that overlap, read and written in turn: each access has to see what the earlier ones did.
bool generateHazard(Generator &g) {
  DType dtype = g.randomInteger();
  Extent extent = g.extent(int64_t(1) << g.between(2, 8));
  if (!g.spend(12 * g.value(extent)))
    return false;
  int64_t slack = g.between(1, 20), segment = g.value(extent) + slack;
  Facts facts;
  Parameter &tensor = g.freshTensor(dtype, fullFacts(dtype), segment * g.programs(), facts);
  tensor.name[0] = 'z';
  std::vector<std::string> names = {tensor.name, tensor.name};
  if (g.chance(30)) {
    Parameter alias{.kind = Parameter::Kind::Tensor, .name = g.newName("a"), .dtype = dtype, .count = tensor.count};
    alias.aliasOf = tensor.name;
    names.push_back(alias.name);
    g.program.parameters.push_back(alias);
  }
  TileType type{dtype, {extent}};
  std::string index = "tl.arange(0, " + extent.text() + ")";
  if (g.chance(20))
    index = "(" + extent.text() + " - 1 - " + index + ")";
  std::vector<Variable> loaded;
  for (int64_t i = g.between(3, 6); i > 0; --i) {
    std::string offset = std::to_string(g.below(slack + 1));
    std::string pointer = g.choose(names) + " + pid * " + std::to_string(segment) + " + " + offset + " + " + index;
    if (g.options.barriers)
      g.effect("tl.debug_barrier()");
    if (loaded.empty() || g.chance(45)) {
      loaded.push_back(g.define(type, fullFacts(dtype), "tl.load(" + pointer + ")"));
      continue;
    }
    std::string value = g.choose(loaded).name + " ^ " + g.choose(loaded).name + " ^ 5";
    std::string mask = g.chance(30) ? ", mask=" + index + " < " + g.addInteger(g.below(g.value(extent) + 1)) : "";
    g.effect("tl.store(" + pointer + ", " + value + mask + ")");
  }
  return true;
}

// What was stored is loaded again, in another shape.
bool generateRoundTrip(Generator &g) {
  auto v = g.pick([&](const Variable &v) {
    return !v.type.shape.empty() && v.type.dtype != DType::Int1 && g.isEven(v.type.shape);
  });
  if (!v || !g.spend(2 * g.count(v->type.shape)))
    return false;
  Extent span = product(v->type.shape);
  int64_t count = g.value(span);
  std::string base = g.programs() > 1 ? "pid * " + std::to_string(count) + " + " : "";
  Parameter &tensor = g.addTensor(v->type.dtype, count * g.programs());
  tensor.name[0] = 'z';
  tensor.fill = Fill::Bits, tensor.tolerance = v->facts.error, tensor.isZeroUnsigned = v->facts.isZeroUnsigned;
  std::string pointer = tensor.name + " + " + base + "tl.arange(0, " + span.text() + ")";
  Variable flat = g.define({v->type.dtype, {span}}, v->facts, "tl.ravel(" + v->name + ")");
  bool isReversed = g.chance(30);
  g.effect("tl.store(" + pointer + ", " + flat.name + ")");
  if (g.options.barriers || g.chance(50))
    g.effect("tl.debug_barrier()");
  if (isReversed) {
    g.define({v->type.dtype, {span}}, v->facts,
             "tl.load(" + tensor.name + " + " + base + "(" + span.text() + " - 1 - tl.arange(0, " + span.text() +
                 ")))");
    return true;
  }
  TileShape shape(v->type.shape.rbegin(), v->type.shape.rend());
  g.define({v->type.dtype, shape}, v->facts,
           "tl.load(" + tensor.name + " + " + base + "tl.reshape(tl.arange(0, " + span.text() + "), " + text(shape) +
               "))");
  return true;
}

// Results are used only where no other program and no other lane touches the same element.
bool generateAtomic(Generator &g) {
  bool isFloating = g.chance(25);
  DType dtype = isFloating ? g.choose({DType::Fp32, DType::Fp32, DType::Fp16, DType::Fp64})
                           : g.choose({DType::Int32, DType::Int32, DType::UInt32, DType::Int64, DType::UInt64});
  TileShape shape = g.randomShape(std::min<int64_t>(g.tileLimit, 512));
  if (!g.spend(4 * g.count(shape)) || g.loopLevel > 0)
    return false;
  // Whole numbers, whose sums do not depend on the order.
  Facts wish = isFloating ? wholeFacts(-2, 2) : fullFacts(dtype);
  if (isFloating && double(g.count(shape) * g.programs()) * 4 > exactLimitOf(dtype))
    return false;
  Variable v = g.obtain({dtype, shape}, wish);
  std::string op = isFloating ? (dtype == DType::Fp16 ? "add" : g.choose({"add", "add", "max", "min"}))
                              : g.choose({"add", "max", "min", "and", "or", "xor"});
  bool isShared = g.chance(50);
  std::string index, mask, base;
  int64_t total = 1;
  if (shape.empty()) {
    base = isShared || g.programs() == 1 ? "" : " + pid";
    total = isShared ? 1 : g.programs();
  } else {
    Placement placement = place(g, shape, Use::Write);
    total = placement.span;
    index = " + " + placement.offsets;
    if (isShared && g.chance(40)) // several lanes meet
      index = " + ((" + placement.offsets + ") % " + std::to_string(g.between(1, 40)) + ")",
      op = op == "xchg" ? "add" : op;
    else if (!isShared && g.programs() > 1)
      base = " + pid * " + std::to_string(total), total *= g.programs();
    mask = g.chance(30) ? ", mask=" + maskFor(g, shape, placement) : "";
  }
  std::string tensor = g.outputTensor(dtype, {}, total);
  if (isFloating) {
    Parameter &memory = g.parameter(tensor);
    memory.fill = Fill::Integers, memory.low = -4, memory.high = 4, memory.isZeroUnsigned = true;
  }
  std::string call = "(" + tensor + base + index + ", " + v.name + mask + (g.chance(30) ? ", sem=\"relaxed\")" : ")");
  if (isShared || !mask.empty() || g.chance(40)) {
    g.effect("tl.atomic_" + op + call);
    return true;
  }
  if (!isFloating && g.chance(30))
    op = "xchg";
  Facts before = isFloating ? wholeFacts(-4, 4) : fullFacts(dtype);
  g.define({dtype, shape}, before, "tl.atomic_" + op + call);
  return true;
}

// Compare and swap on elements that nobody else touches.
bool generateSwap(Generator &g) {
  DType dtype = g.choose({DType::Int32, DType::Int64});
  TileShape shape = g.randomShape(256);
  if (!g.spend(4 * g.count(shape)) || g.loopLevel > 0 || !g.isEven(shape))
    return false;
  Facts small = integerFacts(0, 2);
  Variable expected = g.obtain({dtype, shape}, small), replacement = g.obtain({dtype, shape}, fullFacts(dtype));
  Extent span = product(shape);
  int64_t total = g.value(span) * g.programs();
  std::string index = g.programs() > 1 ? " + pid * " + std::to_string(g.value(span)) : "";
  if (!shape.empty())
    index += " + tl.reshape(tl.arange(0, " + span.text() + "), " + text(shape) + ")";
  std::string tensor = g.outputTensor(dtype, {}, total);
  Parameter &memory = g.parameter(tensor);
  memory.fill = Fill::Integers, memory.low = 0, memory.high = 2;
  g.define({dtype, shape}, small,
           "tl.atomic_cas(" + tensor + index + ", " + expected.name + ", " + replacement.name + ")");
  return true;
}

} // namespace

const std::vector<Family> &updateFamilies() {
  static const std::vector<Family> kFamilies = {{3, false, generateInPlace},
                                                {2, false, generateRoundTrip},
                                                {3, false, generateHazard},
                                                {2, false, generateAtomic},
                                                {1, false, generateSwap}};
  return kFamilies;
}

} // namespace nereid::differ
