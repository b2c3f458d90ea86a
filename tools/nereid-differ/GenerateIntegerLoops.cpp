// GenerateIntegerLoops.cpp: loops about integers: with bounds of the launch, below zero, empty, downwards, without a sign.
#include "Access.h"
#include "Integers.h"

#include <algorithm>

namespace nereid::differ {

namespace {

// A loop whose bounds are arguments, perhaps below zero, perhaps empty; it carries a number or a tile of them.
bool generateCountedLoop(Generator &g) {
  if (g.depth >= 2 || g.isInFunction || !g.spend(100))
    return false;
  auto v = g.pick([&](const Variable &v) { return isWhole(v) && v.loopLevel == g.loopLevel && v.name != "pid"; });
  if (!v)
    return false;
  Variable carried = g.define(v->type, fullFacts(v->type.dtype), v->name);
  int64_t rounds = g.between(0, 4), step = g.choose<int64_t>({1, 1, 2, 3, 16, 32}),
          start = g.chance(50) ? 0 : number(g) % 1000;
  bool isLoaded =
      v->type == TileType{DType::Int32, {}} && start == 0 && g.chance(30); // an end that only the program knows
  auto written = [&](int64_t value) { return g.chance(60) ? g.addInteger(value, value) : std::to_string(value); };
  bool isDownwards = g.chance(25);
  int64_t end = start + (isDownwards ? -1 : 1) * (rounds ? rounds * step - g.below(step) : -g.below(5));
  std::string name = g.newName("i"), first = written(start);
  std::string by = isDownwards ? "-" + std::to_string(step) : written(step);
  DType counted = isLoaded && !isDownwards && g.chance(40) ? DType::UInt32 : DType::Int32;
  std::string last = isLoaded && !isDownwards ? asType(v->name + " & 3", counted) : written(end);
  Statement loop{.text = "for " + name + " in range(" + first + ", " + last + ", " + by + "):",
                 .firstIndex = name + " = " + first};
  loop.body = g.collect([&] {
    g.repeats *= std::max<int64_t>(rounds, 1);
    ++g.loopLevel;
    g.variables.push_back({.name = name, .type = {counted, {}}, .facts = fullFacts(counted), .loopLevel = g.loopLevel});
    g.statements(int(g.between(1, 4)));
    Operand next = operand(g, carried.type.shape);
    std::string changed = carried.name + g.choose({" + ", " - ", " * ", " ^ "}) + next.text;
    g.assign(carried, fullFacts(carried.type.dtype), asType(changed, carried.type.dtype));
    --g.loopLevel;
    g.repeats /= std::max<int64_t>(rounds, 1);
  });
  g.block->push_back(std::move(loop));
  return true;
}

// Down to a number, in steps that need not meet it.
bool generateDownwards(Generator &g) {
  if (g.depth >= 2 || g.isInFunction || !g.spend(100))
    return false;
  int64_t step = g.choose<int64_t>({1, 3, 16}), rounds = g.between(0, 3), end = g.chance(50) ? -number(g) % 100 : 0;
  Variable left = g.define({DType::Int32, {}}, fullFacts(DType::Int32),
                           "pid - pid + " + std::to_string(end + rounds * step - (rounds ? g.below(step) : 0)));
  Statement loop{.text = "while " + left.name + " > " + g.addInteger(end, end) + ":"};
  std::erase_if(g.variables, [&](const Variable &v) { return v.name == left.name; });
  loop.body = g.collect([&] {
    g.repeats *= rounds + 1;
    ++g.loopLevel;
    g.variables.push_back(left);
    g.statements(int(g.between(1, 3)));
    --g.loopLevel;
    g.repeats /= rounds + 1;
  });
  loop.body.push_back({.text = left.name + " - " + std::to_string(step), .defines = {left}, .isFixed = true});
  g.block->push_back(std::move(loop));
  g.variables.push_back(left);
  return true;
}

// Counted without a sign, from below the largest number with one to above it.
bool generateUnsignedLoop(Generator &g) {
  if (g.depth >= 2 || g.isInFunction || !g.spend(100))
    return false;
  std::string start = g.addInteger(2147483632, 2147483632), name = g.newName("i");
  g.effect("tl.assume(" + start + " >= 0)");
  Statement loop{.text = "for " + name + " in range(" + start + ".to(tl.uint32), (" + start +
                         ".to(tl.int64) + 40).to(tl.uint32), 16):",
                 .firstIndex = name + " = " + start + ".to(tl.uint32)"};
  loop.body = g.collect([&] {
    g.repeats *= 3;
    TileShape shape{g.extent(16)};
    Operand line = positions(g, shape);
    std::string text = "(" + name + ".to(tl.int32) + " + line.text + ")" + g.choose({" // 8", " % 64", " % 16"});
    if (g.spend(16))
      storeTile(g, g.define({DType::Int32, shape}, fullFacts(DType::Int32), text));
    g.repeats /= 3;
    if (g.block->empty())
      g.effect("pass");
  });
  g.block->push_back(std::move(loop));
  return true;
}

} // namespace

const std::vector<Family> &integerLoopFamilies() {
  static const std::vector<Family> kFamilies = {
      {12, false, generateCountedLoop}, {4, false, generateDownwards}, {3, false, generateUnsignedLoop}};
  return kFamilies;
}

} // namespace nereid::differ
