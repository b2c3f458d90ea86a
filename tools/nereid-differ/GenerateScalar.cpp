// GenerateScalar.cpp: arguments that are numbers, arithmetic of program ids, and hints.
#include "Generator.h"

namespace nereid::differ {

namespace {

bool generateIntegerArgument(Generator &g) {
  bool isWide = g.chance(25);
  int64_t value = isWide ? (int64_t(1) << 33) + g.below(1000) : g.choose<int64_t>({0, 1, 2, 16, 17, 100, 128});
  std::string name = g.addInteger(value, isWide ? value : 0);
  // With a tensor beside it, since an argument 1 is a constant and has no type of its own.
  g.define({isWide ? DType::Int64 : DType::Int32, {}}, integerFacts(0, double(value + g.programs())), "pid + " + name);
  return true;
}

bool generateFloatArgument(Generator &g) {
  double value = double(g.between(-12, 12)) / (g.chance(50) ? 4 : 1);
  g.program.parameters.push_back({.kind = Parameter::Kind::Float, .name = g.newName("s"), .number = value});
  Facts facts = wholeFacts(value, value);
  facts.isIntegral = value == double(int64_t(value));
  g.define({DType::Fp32, {}}, facts, g.program.parameters.back().name + " + 0.0");
  return true;
}

bool generateBooleanArgument(Generator &g) {
  g.program.parameters.push_back({.kind = Parameter::Kind::Boolean, .name = g.newName("c"), .integer = g.chance(50)});
  g.define({DType::Int1, {}}, integerFacts(0, 1), g.program.parameters.back().name + " & (pid >= 0)");
  return true;
}

// Positions of programs, as kernels compute them.
bool generateProgramIndex(Generator &g) {
  std::string number = std::to_string(g.between(1, 4));
  double most = double(g.programs());
  switch (g.below(4)) {
  case 0: g.define({DType::Int32, {}}, integerFacts(0, most), "pid // " + number); return true;
  case 1: g.define({DType::Int32, {}}, integerFacts(0, 3), "pid % " + number); return true;
  case 2: g.define({DType::Int32, {}}, integerFacts(0, most), "tl.cdiv(pid, " + number + ")"); return true;
  default: break;
  }
  Facts facts = integerFacts(0, most);
  TileType type{DType::Int32, {}};
  std::string programs = std::to_string(g.programs());
  g.defineAll({type, type}, {facts, facts}, "tl.swizzle2d(pid // 2, pid % 2, " + programs + ", 2, " + number + ")");
  return true;
}

// What a compiler may rely on; true here.
bool generateHint(Generator &g) {
  Extent extent = g.extent(int64_t(1) << g.below(9));
  std::string text = extent.text();
  Facts facts = integerFacts(0, double(g.value(extent) * (g.programs() + 1)));
  g.effect("tl.assume(pid >= 0)");
  g.define({DType::Int32, {extent}}, facts,
           "tl.max_contiguous(tl.multiple_of(pid * (" + text + ") + tl.arange(0, " + text + "), " + text + "), " +
               text + ")");
  return true;
}

} // namespace

const std::vector<Family> &scalarFamilies() {
  static const std::vector<Family> kFamilies = {{2, false, generateIntegerArgument},
                                                {2, false, generateFloatArgument},
                                                {1, false, generateBooleanArgument},
                                                {1, false, generateProgramIndex},
                                                {1, false, generateHint}};
  return kFamilies;
}

} // namespace nereid::differ
