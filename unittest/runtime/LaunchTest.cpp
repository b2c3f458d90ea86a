// LaunchTest.cpp: grids on the thread pool. The kernels here are C++ functions with the signature of compiled ones.
#include "runtime/cpu/Launch.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cpu/Scratch.h"
#include "runtime/cpu/Waits.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <thread>

namespace nereid::cpu {

using Arguments = std::vector<uint64_t>;

static std::shared_ptr<const LoadedKernel> link(Entry entry, Artifact artifact = {}, uint32_t arguments = 1) {
  artifact.name = "kernel";
  artifact.argumentCount = arguments;
  Result<std::shared_ptr<const LoadedKernel>> kernel = LoadedKernel::link(entry, std::move(artifact));
  EXPECT_TRUE(kernel) << kernel.error().message;
  return *kernel;
}

template <class T> static uint64_t bitsOf(T *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// Adds 1 to the element of every program.
static void countUp(const uint64_t *arguments, LaunchState *, uint64_t first, uint64_t last, std::byte *) {
  auto *counts = reinterpret_cast<std::atomic<int> *>(arguments[0]);
  for (uint64_t i = first; i < last; ++i)
    counts[i].fetch_add(1, std::memory_order_relaxed);
}

static void expectEachOnce(const LoadedKernel &kernel, std::array<uint32_t, 3> grid, unsigned threads, int times = 1) {
  std::vector<std::atomic<int>> counts(size_t(grid[0]) * grid[1] * grid[2]);
  for (int i = 0; i < times; ++i)
    ASSERT_TRUE(launch(kernel, Arguments{bitsOf(counts.data())}, grid, {.threads = threads}));
  for (const std::atomic<int> &count : counts)
    ASSERT_EQ(count.load(), times);
}

TEST(Launch, EveryProgramRunsOnce) {
  std::shared_ptr<const LoadedKernel> kernel = link(countUp);
  for (unsigned threads : {0u, 1u, 2u, 3u, 7u})
    for (uint32_t x : {1u, 2u, 5u, 1000u})
      expectEachOnce(*kernel, {x, 3, 2}, threads);
  expectEachOnce(*kernel, {100000, 1, 1}, 4);
}

TEST(Launch, EmptyGridRunsNothing) {
  std::shared_ptr<const LoadedKernel> kernel = link(countUp);
  EXPECT_TRUE(launch(*kernel, Arguments{0}, {0, 5, 5}));
}

TEST(Launch, WrongNumberOfArgumentsIsAnError) {
  std::shared_ptr<const LoadedKernel> kernel = link(countUp);
  Result<LaunchReport> report = launch(*kernel, Arguments{}, {1, 1, 1});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "kernel `kernel` takes 1 arguments, got 0");
}

// The same, slowly enough that other threads are worth waking.
static void countSlowly(const uint64_t *arguments, LaunchState *state, uint64_t first, uint64_t last,
                        std::byte *scratch) {
  for (uint64_t i = first; i < last; ++i) {
    volatile int work = 0;
    for (int n = 0; n < 2000; ++n)
      work = work + n;
    countUp(arguments, state, i, i + 1, scratch);
  }
}

TEST(Launch, ManyThreadsLaunchAtOnce) {
  for (Entry entry : {countUp, countSlowly}) {
    std::shared_ptr<const LoadedKernel> kernel = link(entry);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i)
          expectEachOnce(*kernel, {40, 1, 1}, 4, 3);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
}

static void addRange(const uint64_t *arguments, LaunchState *, uint64_t first, uint64_t last, std::byte *) {
  reinterpret_cast<std::atomic<uint64_t> *>(arguments[0])->fetch_add(last - first);
}

TEST(Launch, LargeGrids) {
  std::shared_ptr<const LoadedKernel> kernel = link(addRange);
  std::atomic<uint64_t> count{0};
  ASSERT_TRUE(launch(*kernel, Arguments{bitsOf(&count)}, {2147483647, 1, 1}));
  EXPECT_EQ(count.load(), 2147483647u);
  count = 0;
  ASSERT_TRUE(launch(*kernel, Arguments{bitsOf(&count)}, {2147483647, 65535, 1}, {.threads = 3}));
  EXPECT_EQ(count.load(), uint64_t(2147483647) * 65535);
  Result<LaunchReport> report = launch(*kernel, Arguments{bitsOf(&count)}, {4294967295, 4294967295, 2});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().status, Status::BadInput);
}

// Fails from program 100 on, and counts the programs that began.
static void failLate(const uint64_t *arguments, LaunchState *state, uint64_t first, uint64_t last, std::byte *) {
  for (uint64_t i = first; i < last && !state->stop.load(std::memory_order_relaxed); ++i) {
    reinterpret_cast<std::atomic<uint64_t> *>(arguments[0])->fetch_add(1);
    uint32_t program[3] = {uint32_t(i), 0, 0};
    if (i >= 100)
      return state->fail(state, 0, program);
  }
}

TEST(Launch, FailureStopsTheGrid) {
  Artifact artifact;
  artifact.sites.push_back({.kind = Site::Kind::Assert, .text = "too late", .file = "k.py", .line = 7});
  std::shared_ptr<const LoadedKernel> kernel = link(failLate, artifact);
  for (unsigned threads : {1u, 4u}) {
    std::atomic<uint64_t> count{0};
    Result<LaunchReport> report = launch(*kernel, Arguments{bitsOf(&count)}, {2000000000, 1, 1}, {.threads = threads});
    ASSERT_TRUE(report);
    ASSERT_TRUE(report->failure);
    EXPECT_EQ(report->failure->site->line, 7u);
    EXPECT_GE(report->failure->program->at(0), 100u);
    EXPECT_EQ(describeFailure(*report->failure->site), "assertion failed: too late");
    EXPECT_LT(count.load(), 2000000000u);
    if (threads == 1)
      EXPECT_EQ(report->failure->program->at(0), 100u);
  }
}

static void printEach(const uint64_t *, LaunchState *state, uint64_t first, uint64_t last, std::byte *) {
  for (uint64_t i = first; i < last; ++i) {
    uint32_t program[3] = {uint32_t(i), 0, 0};
    float numbers[2] = {float(i), -0.5f};
    uint8_t byte = 200;
    const void *values[] = {numbers, &byte};
    state->print(state, 0, program, values);
  }
}

TEST(Launch, PrintsInOrder) {
  Artifact artifact;
  artifact.isOrderSensitive = true;
  artifact.sites.push_back({.kind = Site::Kind::Print, .text = "x", .values = {{"f32", {2}}, {"u8", {}}}});
  std::shared_ptr<const LoadedKernel> kernel = link(printEach, artifact, 0);
  std::string text;
  LaunchOptions options{.threads = 4, .output = [&](std::string_view part) { text += part; }};
  ASSERT_TRUE(launch(*kernel, Arguments{}, {2, 1, 1}, options));
  EXPECT_EQ(text, "pid (0, 0, 0) idx (0) x: (operand 0) 0.000000\n"
                  "pid (0, 0, 0) idx (1) x: (operand 0) -0.500000\n"
                  "pid (0, 0, 0) idx () x: (operand 1) 200\n"
                  "pid (1, 0, 0) idx (0) x: (operand 0) 1.000000\n"
                  "pid (1, 0, 0) idx (1) x: (operand 0) -0.500000\n"
                  "pid (1, 0, 0) idx () x: (operand 1) 200\n");
}

// Writes all of the scratch, and checks that nobody else did meanwhile.
static void useScratch(const uint64_t *arguments, LaunchState *state, uint64_t first, uint64_t last,
                       std::byte *scratch) {
  size_t bytes = arguments[0];
  uint32_t program[3] = {};
  if (reinterpret_cast<uintptr_t>(scratch) % 64)
    return state->fail(state, 0, program);
  for (uint64_t i = first; i < last; ++i) {
    std::memset(scratch, int(i & 0xff), bytes);
    for (size_t at = 0; at < bytes; at += 61)
      if (scratch[at] != std::byte(i & 0xff))
        return state->fail(state, 0, program);
  }
}

TEST(Launch, ScratchBelongsToOneThread) {
  for (uint64_t bytes : {uint64_t(1), uint64_t(100000), uint64_t(3) << 20, kKeptScratchBytes + 1}) {
    Artifact artifact;
    artifact.scratchBytes = bytes;
    artifact.sites.emplace_back();
    std::shared_ptr<const LoadedKernel> kernel = link(useScratch, artifact);
    Result<LaunchReport> report =
        launch(*kernel, Arguments{bytes}, {bytes > 1000000 ? 4u : 100u, 1, 1}, {.threads = 4});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->failure);
  }
}

TEST(Launch, TooMuchScratchIsAnError) {
  for (uint64_t bytes : {uint64_t(1) << 50, ~uint64_t(0)}) {
    Artifact artifact;
    artifact.scratchBytes = bytes;
    std::shared_ptr<const LoadedKernel> kernel = link(useScratch, artifact);
    Result<LaunchReport> report = launch(*kernel, Arguments{bytes}, {1, 1, 1});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().status, Status::Environment);
    EXPECT_NE(report.error().message.find("needs " + std::to_string(bytes) + " bytes"), std::string::npos)
        << report.error().message;
  }
}

struct Crowd {
  std::atomic<int> now{0}, most{0};
};

static void gather(const uint64_t *arguments, LaunchState *, uint64_t, uint64_t, std::byte *) {
  auto *crowd = reinterpret_cast<Crowd *>(arguments[0]);
  int now = crowd->now.fetch_add(1) + 1;
  for (int most = crowd->most.load(); now > most && !crowd->most.compare_exchange_weak(most, now);) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  crowd->now.fetch_sub(1);
}

static int mostAtOnce(bool isOrderSensitive, uint32_t programs, unsigned threads) {
  Crowd crowd;
  Artifact artifact;
  artifact.isOrderSensitive = isOrderSensitive;
  std::shared_ptr<const LoadedKernel> kernel = link(gather, artifact);
  EXPECT_TRUE(launch(*kernel, Arguments{bitsOf(&crowd)}, {programs, 1, 1}, {.threads = threads}));
  return crowd.most.load();
}

TEST(Launch, ThreadsAreUsedAndBounded) {
  EXPECT_EQ(mostAtOnce(false, 1, 5), 1);
  EXPECT_EQ(mostAtOnce(false, 40, 1), 1);
  EXPECT_EQ(mostAtOnce(true, 40, 5), 1);
  for (unsigned threads : {2u, 3u, 6u}) {
    int most = mostAtOnce(false, 60, threads);
    EXPECT_GT(most, 1);
    EXPECT_LE(most, int(threads));
  }
}

// Every program but the last waits for the one after it; the last one fails where argument 1 says so.
static void waitForNext(const uint64_t *arguments, LaunchState *state, uint64_t first, uint64_t last, std::byte *) {
  auto *done = reinterpret_cast<std::atomic<int> *>(arguments[0]);
  for (uint64_t i = first; i < last; ++i) {
    uint32_t program[3] = {uint32_t(i), 0, 0};
    bool isLast = i + 1 == state->grid[0];
    if (isLast && arguments[1])
      return state->fail(state, 0, program);
    for (uint32_t turn = kFirstTurn | kOnlyWait; !isLast && !done[i + 1].load(std::memory_order_acquire);
         turn = kOnlyWait) {
      state->wait(state, 0, program, turn);
      if (state->stop.load(std::memory_order_relaxed))
        return;
    }
    done[i].store(1, std::memory_order_release);
  }
}

TEST(Launch, ProgramsMayWaitForLaterOnes) {
  Artifact artifact;
  artifact.waits = true;
  artifact.sites.push_back({.kind = Site::Kind::Assert, .text = "the last one"});
  std::shared_ptr<const LoadedKernel> kernel = link(waitForNext, artifact, 2);
  for (unsigned threads : {1u, 2u, 20u})
    for (bool fails : {false, true}) {
      std::vector<std::atomic<int>> done(12);
      Result<LaunchReport> report =
          launch(*kernel, Arguments{bitsOf(done.data()), fails}, {12, 1, 1}, {.threads = threads});
      ASSERT_TRUE(report);
      EXPECT_EQ(bool(report->failure), fails);
      for (const std::atomic<int> &one : done)
        EXPECT_EQ(one.load(), fails ? 0 : 1);
    }
}

TEST(Waits, AreStuckWhenNobodyWorks) {
  using namespace std::chrono_literals;
  Waits waits;
  Waits::Thread first(waits);
  first.turn(kFirstTurn | kOnlyWait);
  std::this_thread::sleep_for(20ms);
  first.turn(kOnlyWait);
  EXPECT_TRUE(waits.areAllStuck(10ms));
  EXPECT_FALSE(waits.areAllStuck(1h));
  {
    Waits::Thread second(waits); // works, and has never waited
    EXPECT_FALSE(waits.areAllStuck(10ms));
    second.turn(kFirstTurn | kOnlyWait);
    EXPECT_FALSE(waits.areAllStuck(10ms));
  }
  EXPECT_EQ(Waits::Thread::current(), &first);
  first.turn(0); // in a loop that also works
  EXPECT_FALSE(waits.areAllStuck(10ms));
  first.turn(kOnlyWait);
  EXPECT_TRUE(waits.areAllStuck(10ms));
  first.turn(kFirstTurn | kOnlyWait); // another wait
  EXPECT_FALSE(waits.areAllStuck(10ms));
}

TEST(Launch, WorksInTheChildOfAFork) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the thread sanitizer allows no threads after a fork";
#endif
  std::shared_ptr<const LoadedKernel> kernel = link(countUp);
  expectEachOnce(*kernel, {1000, 1, 1}, 4);
  pid_t child = fork();
  if (child == 0) {
    std::vector<std::atomic<int>> counts(1000);
    bool isFine = bool(launch(*kernel, Arguments{bitsOf(counts.data())}, {1000, 1, 1}, {.threads = 4}));
    for (const std::atomic<int> &count : counts)
      isFine &= count.load() == 1;
    _exit(isFine ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  expectEachOnce(*kernel, {1000, 1, 1}, 4);
}

TEST(Cores, Quota) {
  EXPECT_EQ(coresOfQuota("max 100000\n"), 0u);
  EXPECT_EQ(coresOfQuota("200000 100000\n"), 2u);
  EXPECT_EQ(coresOfQuota("150000 100000\n"), 2u);
  EXPECT_EQ(coresOfQuota("1000 100000\n"), 1u);
  EXPECT_EQ(coresOfQuota("-1 100000"), 0u);
  EXPECT_EQ(coresOfQuota(""), 0u);
  EXPECT_EQ(coresOfQuota("100000"), 0u);
  EXPECT_GE(availableCores(), 1u);
}

} // namespace nereid::cpu
