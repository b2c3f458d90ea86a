// Many threads at once: on one disk cache, and tuning one kernel, which compiles in threads of its own. The build runs
// this file once more under ThreadSanitizer.
#include "jit/Launch.h"
#include "jit/cache/DiskCache.h"
#include "jit/tune/Tune.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace nereid::jit {

namespace fs = std::filesystem;

namespace {

class ThreadsTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "nereid-threads-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    top = pattern;
    setenv("NEREID_CACHE_DIR", (top + "/shared").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(top); }

  static void inThreads(unsigned count, const std::function<void(unsigned)> &work) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i)
      threads.emplace_back(work, i);
    for (std::thread &thread : threads)
      thread.join();
  }
  std::string top;
};

const char *const kTuned = R"(
import triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": size}) for size in (16, 32, 64, 128)], key=["n"])
@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * 2, i < n)
)";

} // namespace

TEST_F(ThreadsTest, aCacheGivesWholeEntriesOrNone) {
  // Small enough that entries are removed all the time.
  DiskCache cache({.folder = top + "/cache", .maxBytes = 20000});
  auto payloadOf = [](unsigned i) { return std::string(1000 + 500 * i, static_cast<char>('a' + i)); };
  auto keyOf = [](unsigned i) {
    Digest key{};
    key[0] = static_cast<decltype(key)::value_type>(i);
    return key;
  };
  std::atomic<int> wrong{0}, found{0};
  inThreads(4, [&](unsigned self) {
    for (unsigned turn = 0; turn < 100; ++turn) {
      unsigned i = (turn * 7 + self * 3) % 8;
      std::optional<std::string> known = cache.load("entry", keyOf(i));
      found += known.has_value();
      wrong += known && *known != payloadOf(i);
      cache.store("entry", keyOf(i), payloadOf(i));
      if (turn % 10 == self)
        cache.trim();
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
}

TEST_F(ThreadsTest, tuningFromManyThreads) {
  std::ofstream(top + "/tuned.py") << kTuned;
  Settings settings{.device = "cpu", .gridExpression = "lambda meta: (triton.cdiv(meta['n'], meta['BLOCK']),)"};
  using Use = std::function<void(KernelModule &, const std::shared_ptr<lang::Function> &, const Tensor &)>;
  auto withKernel = [&](const Use &use) {
    auto module = KernelModule::load(top + "/tuned.py");
    ASSERT_TRUE(module) << module.error().message;
    auto kernel = (*module)->find("double");
    ASSERT_TRUE(kernel) << kernel.error().message;
    Tensor x = *Tensor::zeros(DType::Fp32, {1000});
    std::ranges::fill(x.values<float>(), 1.0f);
    use(**module, *kernel, x);
  };
  // ThreadSanitizer does not see how code that was compiled without it guards the tables that it makes on first use:
  // they are made here, before there are threads.
  withKernel([&](KernelModule &module, const std::shared_ptr<lang::Function> &kernel, const Tensor &x) {
    Settings first = settings;
    first.config = 0;
    auto launched = launch(module, kernel, {x, 1000}, first);
    ASSERT_TRUE(launched) << launched.error().message;
    EXPECT_EQ(std::ranges::count(x.values<float>(), 2.0f), 1000);
  });
  inThreads(3, [&](unsigned) {
    withKernel([&](KernelModule &module, const std::shared_ptr<lang::Function> &kernel, const Tensor &x) {
      auto tuning = tune(module, kernel, {x, 1000}, settings, {.again = true});
      ASSERT_TRUE(tuning) << tuning.error().message;
      EXPECT_LT(tuning->best, 4u);
      EXPECT_EQ(tuning->trials.size(), 4u);
      for (const Trial &trial : tuning->trials)
        EXPECT_EQ(trial.problem, "");
      // The trials left no trace.
      EXPECT_EQ(std::ranges::count(x.values<float>(), 1.0f), 1000);
    });
  });
}

} // namespace nereid::jit
