// EvaluateTest.cpp: one operation on values in memory: what comes in, what goes out, where it stands in the grid.
#include "interp/Interp.h"
#include "interp/Machine.h"

#include <gtest/gtest.h>

using namespace nereid::interp;

namespace {

// result[i] = operand[i] + program x; fails where an operand is negative.
void addPlace(Machine &machine, const Instruction &instruction) {
  for (uint32_t i = 0; i < 4; ++i) {
    int32_t value = machine.at<int32_t>(instruction.operands[0])[i];
    if (value < 0)
      return machine.fail(Failure::Kind::Assert, instruction, "negative");
    machine.at<int32_t>(instruction.result)[i] = value + int32_t(machine.program[0]);
  }
  machine.output += "done\n";
}

std::unique_ptr<Program> makeOperation() {
  auto program = std::make_unique<Program>();
  program->places.emplace_back();
  program->facts.emplace_back();
  program->frameBytes = 256;
  Slot operand{64, 4, Element::I32}, result{128, 4, Element::I32};
  program->parameters.push_back({operand});
  program->results.push_back(result);
  Instruction instruction;
  instruction.run = addPlace;
  instruction.result = result.offset;
  instruction.operands[0] = operand.offset;
  program->body.instructions.push_back(instruction);
  return program;
}

} // namespace

TEST(Evaluate, ComputesFromMemoryToMemory) {
  std::unique_ptr<Program> program = makeOperation();
  EXPECT_EQ(parameterBytes(*program), std::vector<size_t>{16});
  EXPECT_EQ(resultBytes(*program), std::vector<size_t>{16});
  int32_t in[4] = {1, 2, 3, 4}, out[4] = {};
  const void *inputs[] = {in};
  void *outputs[] = {out};
  std::string printed;
  LaunchOptions options{.grid = {8, 1, 1}};
  options.output = [&](std::string_view text) { printed += text; };
  EXPECT_FALSE(evaluate(*program, inputs, outputs, {5, 0, 0}, options));
  EXPECT_EQ(std::vector<int32_t>(out, out + 4), (std::vector<int32_t>{6, 7, 8, 9}));
  EXPECT_EQ(printed, "done\n");
}

TEST(Evaluate, AFailureLeavesTheOutputsAlone) {
  std::unique_ptr<Program> program = makeOperation();
  int32_t in[4] = {1, -1, 3, 4}, out[4] = {7, 7, 7, 7};
  const void *inputs[] = {in};
  void *outputs[] = {out};
  Failure failure = evaluate(*program, inputs, outputs, {2, 0, 0}, {});
  EXPECT_EQ(failure.kind, Failure::Kind::Assert);
  EXPECT_EQ(failure.message, "negative");
  EXPECT_EQ(failure.program[0], 2u);
  EXPECT_EQ(out[0], 7);
}
