// WatchTest.cpp: launches that are ended before their time. The kernels here are C++ functions with the signature of
// compiled ones.
#include "runtime/cpu/Launch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace nereid::cpu {

using Arguments = std::vector<uint64_t>;

static std::shared_ptr<const LoadedKernel> link(Entry entry) {
  Artifact artifact;
  artifact.name = "kernel";
  artifact.argumentCount = 1;
  artifact.sites.push_back({.kind = Site::Kind::Loop, .file = "kernel.py", .line = 7, .column = 3});
  Result<std::shared_ptr<const LoadedKernel>> kernel = LoadedKernel::link(entry, std::move(artifact));
  EXPECT_TRUE(kernel) << kernel.error().message;
  return *kernel;
}

// Programs from the number on that stands in the first argument never end.
static void spin(const uint64_t *arguments, LaunchState *state, uint64_t first, uint64_t last, std::byte *scratch) {
  for (uint64_t i = first; i < last; ++i) {
    std::memcpy(scratch - 8, &i, 8);
    while (i >= arguments[0])
      if (state->stop.load(std::memory_order_relaxed))
        state->look(state, 0);
  }
  std::memcpy(scratch - 8, &last, 8);
}

TEST(Watch, ATimeLimitEndsEndlessPrograms) {
  std::shared_ptr<const LoadedKernel> kernel = link(spin);
  for (unsigned threads : {1u, 3u})
    // Of two programs the second one is endless: another thread may run it while the caller waits.
    for (uint64_t endless : {0u, 1u, 2u}) {
      Result<LaunchReport> report =
          launch(*kernel, Arguments{endless}, {2, 1, 1}, {.threads = threads, .limits = {.timeout = 0.01}});
      ASSERT_TRUE(report);
      ASSERT_EQ(bool(report->failure), endless < 2);
      if (!report->failure)
        continue;
      EXPECT_EQ(report->failure->kind, LaunchFailure::Kind::TimedOut);
      EXPECT_EQ(report->failure->status(), Status::Interrupted);
      EXPECT_TRUE(renderFailure(*report->failure).find("the launch took longer than 0.01 s") != std::string::npos);
    }
}

TEST(Watch, AnotherThreadEndsLaunchesThatRun) {
  std::shared_ptr<const LoadedKernel> kernel = link(spin);
  for (unsigned threads : {1u, 3u}) {
    std::atomic<bool> isOver = false;
    std::thread interrupter([&] {
      while (!isOver)
        interruptLaunches();
    });
    Result<LaunchReport> report = launch(*kernel, Arguments{0}, {4, 1, 1}, {.threads = threads});
    isOver = true;
    interrupter.join();
    ASSERT_TRUE(report && report->failure);
    EXPECT_EQ(report->failure->kind, LaunchFailure::Kind::Interrupted);
  }
  // The next one is not hit by what came before.
  Result<LaunchReport> report = launch(*kernel, Arguments{4}, {4, 1, 1});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->failure);
}

namespace {
struct CountingHost : Host {
  explicit CountingHost(int limit) : limit(limit) {}
  bool goesOn() override {
    isRightThread &= std::this_thread::get_id() == caller;
    return ++asked < limit;
  }
  int limit, asked = 0;
  std::thread::id caller = std::this_thread::get_id();
  bool isRightThread = true;
};
} // namespace

TEST(Watch, TheHostIsAskedOnTheThreadThatLaunches) {
  std::shared_ptr<const LoadedKernel> kernel = link(spin);
  for (unsigned threads : {1u, 3u})
    for (uint64_t endless : {0u, 1u}) {
      CountingHost host(3);
      Result<LaunchReport> report =
          launch(*kernel, Arguments{endless}, {2, 1, 1}, {.threads = threads, .limits = {.host = &host}});
      ASSERT_TRUE(report && report->failure);
      EXPECT_EQ(report->failure->kind, LaunchFailure::Kind::Interrupted);
      EXPECT_EQ(host.asked, 3);
      EXPECT_TRUE(host.isRightThread);
    }
}

} // namespace nereid::cpu
