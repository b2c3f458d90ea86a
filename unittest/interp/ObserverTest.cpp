// ObserverTest.cpp: somebody who watches a launch sees every instruction of every program, in order.
#include "interp/Observer.h"
#include "interp/Control.h"
#include "interp/Interp.h"
#include "interp/Program.h"

#include <gtest/gtest.h>

using namespace nereid::interp;

namespace {

// A program that goes round a loop three times; the body is one instruction.
std::unique_ptr<Program> makeLoop() {
  auto program = std::make_unique<Program>();
  program->places.emplace_back();
  program->frameBytes = 256;
  for (auto [offset, value] : {std::pair(64u, 0), {72u, 3}, {80u, 1}})
    program->constants.push_back({offset, 1, {std::byte(value), {}, {}, {}}});
  auto payload = std::make_unique<ForPayload>();
  payload->body = &program->blocks.emplace_back();
  payload->induction = 88;
  program->facts.resize(2);
  payload->body->instructions.push_back({.run = [](Machine &, const Instruction &) {}, .fact = 1});
  program->body.instructions.push_back(
      {.run = runFor, .payload = payload.get(), .count = 1, .operands = {64, 72, 80}, .fact = 0});
  program->payloads.push_back(std::move(payload));
  return program;
}

struct Listener : Observer {
  std::string text;
  size_t machines = 0;
  bool hasShadow = false;

  void begin(const Program &program, Launch &) override { text += "begin " + std::to_string(program.facts.size()); }
  void prepare(Machine &machine) override {
    ++machines;
    hasShadow = machine.shadow;
  }
  void beginProgram(Machine &machine) override { text += "; program " + std::to_string(machine.program[0]); }
  void endProgram(Machine &) override { text += " end"; }
  void run(Machine &machine, const Instruction &instruction) override {
    text += instruction.fact == 1 ? " body " + std::to_string(*machine.at<int32_t>(88)) : " loop";
    instruction.run(machine, instruction);
  }
};

TEST(Observer, SeesEveryInstructionOfEveryProgram) {
  Listener listener;
  LaunchResult result = run(*makeLoop(), {}, {.grid = {2, 1, 1}, .threads = 4, .observer = &listener});
  EXPECT_FALSE(result.failure);
  EXPECT_EQ(result.programsRun, 2u);
  EXPECT_EQ(listener.text, "begin 2; program 0 loop body 0 body 1 body 2 end; program 1 loop body 0 body 1 body 2 end");
  EXPECT_EQ(listener.machines, 1u); // one worker, whatever was asked for
  EXPECT_FALSE(listener.hasShadow);
}

} // namespace
