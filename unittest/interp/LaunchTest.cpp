// LaunchTest.cpp: launches of programs made by hand: order, limits, interrupts and arguments.
#include "interp/Control.h"
#include "interp/Elementwise.h"
#include "interp/Interp.h"
#include "interp/Program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>

using namespace nereid::interp;

namespace {

std::mutex seenMutex;
std::vector<std::array<uint32_t, 3>> seen;

void notePlace(Machine &machine, const Instruction &) {
  std::lock_guard lock(seenMutex);
  seen.push_back(machine.program);
}

Instruction instruction(Program &program, Handler run) {
  Instruction result;
  result.run = run;
  result.fact = uint32_t(program.facts.size());
  program.facts.emplace_back();
  return result;
}

std::unique_ptr<Program> makeProgram(Handler run) {
  auto program = std::make_unique<Program>();
  program->places.emplace_back();
  program->frameBytes = 256;
  program->body.instructions.push_back(instruction(*program, run));
  return program;
}

// A loop whose condition, a constant, never becomes false.
std::unique_ptr<Program> makeEndless() {
  std::unique_ptr<Program> program = makeProgram(runWhile);
  auto payload = std::make_unique<WhilePayload>();
  payload->before = payload->after = &program->blocks.emplace_back();
  payload->condition = 64;
  program->constants.push_back({64, 1, {std::byte(1)}});
  program->body.instructions[0].payload = payload.get();
  program->payloads.push_back(std::move(payload));
  return program;
}

std::vector<std::array<uint32_t, 3>> runOrder(const LaunchOptions &options) {
  seen.clear();
  auto program = makeProgram(notePlace);
  LaunchResult result = run(*program, {}, options);
  EXPECT_FALSE(result.failure);
  EXPECT_EQ(result.programsRun, seen.size());
  return seen;
}

TEST(Launch, RunsTheGridWithTheFirstAxisFastest) {
  auto order = runOrder({.grid = {2, 2, 2}, .threads = 1});
  ASSERT_EQ(order.size(), 8u);
  EXPECT_EQ(order[1], (std::array<uint32_t, 3>{1, 0, 0}));
  EXPECT_EQ(order[2], (std::array<uint32_t, 3>{0, 1, 0}));
  EXPECT_EQ(order[7], (std::array<uint32_t, 3>{1, 1, 1}));
}

TEST(Launch, ASeedDecidesTheOrder) {
  LaunchOptions options{.grid = {50, 2, 1}, .threads = 1};
  auto plain = runOrder(options);
  options.shuffleSeed = 3;
  auto shuffled = runOrder(options), again = runOrder(options);
  options.shuffleSeed = 4;
  auto other = runOrder(options);
  EXPECT_EQ(shuffled, again);
  EXPECT_NE(shuffled, plain);
  EXPECT_NE(shuffled, other);
  std::sort(shuffled.begin(), shuffled.end());
  std::sort(plain.begin(), plain.end());
  EXPECT_EQ(shuffled, plain);
}

TEST(Launch, ThreadsRunEveryProgramOnce) {
  auto order = runOrder({.grid = {100, 3, 1}, .threads = 4});
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order.size(), 300u);
  EXPECT_EQ(std::unique(order.begin(), order.end()), order.end());
}

TEST(Launch, AnEmptyGridRunsNothing) { EXPECT_TRUE(runOrder({.grid = {4, 0, 1}}).empty()); }

TEST(Launch, AStepLimitEndsAnEndlessLoop) {
  LaunchResult result = run(*makeEndless(), {}, {.grid = {2, 1, 1}, .threads = 2, .stepLimit = 100});
  EXPECT_EQ(result.failure.kind, Failure::Kind::StepLimit);
}

TEST(Launch, AnInterruptEndsAnEndlessLoop) {
  for (unsigned threads : {1u, 2u}) {
    std::atomic<bool> isOver = false;
    std::thread interrupter([&] {
      while (!isOver)
        nereid::cpu::interruptLaunches();
    });
    LaunchResult result = run(*makeEndless(), {}, {.grid = {2, 1, 1}, .threads = threads});
    isOver = true;
    interrupter.join();
    EXPECT_EQ(result.failure.kind, Failure::Kind::Cancelled);
    EXPECT_EQ(result.failure.message, "the launch was interrupted");
  }
}

TEST(Launch, ATimeLimitEndsAnEndlessLoop) {
  for (unsigned threads : {1u, 2u}) {
    LaunchOptions options{.grid = {2, 1, 1}, .threads = threads, .limits = {.timeout = 0.01}};
    LaunchResult result = run(*makeEndless(), {}, options);
    EXPECT_EQ(result.failure.kind, Failure::Kind::Cancelled);
    EXPECT_EQ(result.failure.message, "the launch took longer than 0.01 s");
  }
}

TEST(Launch, TheNumberOfArgumentsIsChecked) {
  LaunchResult result = run(*makeProgram(notePlace), {Argument::bits(1)}, {});
  EXPECT_EQ(result.failure.kind, Failure::Kind::BadLaunch);
  EXPECT_EQ(result.failure.message, "the kernel takes 0 arguments, got 1");
}

TEST(Launch, AGridThatNobodyCanRunIsRefused) {
  LaunchResult result = run(*makeProgram(notePlace), {}, {.grid = {~0u, ~0u, ~0u}});
  EXPECT_EQ(result.failure.kind, Failure::Kind::BadLaunch);
}

} // namespace
