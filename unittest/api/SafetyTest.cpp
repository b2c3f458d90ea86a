// SafetyTest.cpp: launches from C++ that never end, go outside of their tensors or have no grid: errors, and the process
// lives.
#include "nereid/nereid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

namespace nereid {
namespace {

constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def endless(x):
    i = 0
    while i < 1:
        i = tl.load(x)
    tl.store(x, i)

@triton.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 1.0)

@triton.jit
def count(x, step):
    turns = 0
    for i in range(0, 10, step):
        turns += 1
    tl.store(x, turns)

@triton.jit
def churn(x, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tile = tl.load(x + lanes)
    wide = tile.to(tl.float64)
    last = 0
    for i in range(n):
        tile = tile * 3 + i
        wide = wide + lanes
        last += i
    tl.store(x + lanes, tile + wide.to(tl.int64).to(tl.int32) + last)
)";

Kernel kernel(const char *name) {
  static Result<Module> module = Module::parse("safety.py", kText);
  Result<Kernel> found = module->kernel(name);
  EXPECT_TRUE(found) << found.error().message;
  return std::move(*found);
}

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(Safety, ATimeoutEndsALaunch) {
  Kernel endless = kernel("endless");
  Result<Tensor> x = Tensor::zeros(DType::Int32, {1});
  for (Device device : {Device::cpu(), Device::interpreter()})
    for (int i = 0; i < 2; ++i) { // the second launch on the CPU goes the quick way
      Result<void> done = endless.launch({.grid = {3}, .device = device, .timeout = 0.01}, {*x});
      EXPECT_EQ(done.error().status, Status::Interrupted);
      EXPECT_TRUE(contains(done.error().message, "safety.py:8:5: error: the launch took longer than 0.01 s"))
          << done.error().message;
    }
  EXPECT_EQ(endless.launch({.grid = {1}, .timeout = -1}, {*x}).error().status, Status::BadInput);
}

// A launch with a time limit looks up from its loops again and again: what they hold in registers stays as it is.
TEST(Safety, ALoopGoesOnAfterALook) {
  constexpr int32_t kLanes = 64;
  Kernel churn = kernel("churn");
  for (int32_t count : {1000, 20000000}) {
    Result<Tensor> x = Tensor::zeros(DType::Int32, {kLanes});
    ASSERT_TRUE(churn.launch({.grid = {1}, .device = Device::cpu(), .timeout = 600}, {*x, count, kLanes}));
    uint32_t tile = 0, last = 0;
    for (int32_t i = 0; i < count; ++i) {
      tile = tile * 3 + uint32_t(i);
      last += uint32_t(i);
    }
    for (uint32_t lane = 0; lane < uint32_t(kLanes); ++lane)
      ASSERT_EQ(reinterpret_cast<const uint32_t *>(x->data())[lane], tile + lane * uint32_t(count) + last)
          << lane << " after " << count;
  }
}

TEST(Safety, AnotherThreadInterruptsALaunch) {
  Kernel endless = kernel("endless");
  Result<Tensor> x = Tensor::zeros(DType::Int32, {1});
  for (Device device : {Device::cpu(), Device::interpreter()}) {
    std::atomic<bool> isOver = false;
    std::thread other([&] {
      while (!isOver)
        interrupt();
    });
    Result<void> done = endless.launch({.grid = {2}, .device = device}, {*x});
    isOver = true;
    other.join();
    EXPECT_EQ(done.error().status, Status::Interrupted);
    EXPECT_TRUE(contains(done.error().message, "the launch was interrupted")) << done.error().message;
  }
}

TEST(Safety, AnIllegalAccessNamesTheLineAndTheElement) {
  Kernel fill = kernel("fill");
  Result<Tensor> x = Tensor::guarded(DType::Fp32, {100});
  ASSERT_TRUE(x);
  for (int i = 0; i < 2; ++i) {
    Result<void> done = fill.launch({.grid = {2}, .device = Device::cpu()}, {*x, 64});
    EXPECT_EQ(done.error().status, Status::CheckFailed);
    EXPECT_TRUE(contains(done.error().message, "safety.py:14:5: error: the kernel touched memory that belongs to no "
                                               "tensor: it writes element [1"))
        << done.error().message;
    EXPECT_TRUE(contains(done.error().message, "of `x`, which has the shape [100]")) << done.error().message;
    EXPECT_TRUE(contains(done.error().message, "in program (1, 0, 0)")) << done.error().message;
  }
  EXPECT_TRUE(fill.launch({.grid = {1}, .device = Device::cpu()}, {*x, 64}));
  EXPECT_EQ(x->values<float>()[63], 1.0f);
}

TEST(Safety, CodeOfTheCacheNamesTheLineInEveryFolder) {
  std::filesystem::path before = std::filesystem::current_path();
  for (const char *folder : {"/", "/tmp"}) {
    std::filesystem::current_path(folder);
    Result<Module> module = Module::parse("safety.py", kText); // another one each time: it finds its code in the cache
    ASSERT_TRUE(module);
    Result<Kernel> fill = module->kernel("fill");
    Result<Tensor> x = Tensor::guarded(DType::Fp32, {100});
    ASSERT_TRUE(fill && x);
    Result<void> done = fill->launch({.grid = {2}, .device = Device::cpu()}, {*x, 64});
    EXPECT_TRUE(done.error().message.starts_with("safety.py:14:5: error: ")) << done.error().message;
  }
  std::filesystem::current_path(before);
}

TEST(Safety, AStepThatIsNotPositiveIsAnError) {
  Kernel count = kernel("count");
  Result<Tensor> x = Tensor::zeros(DType::Int32, {1});
  for (Device device : {Device::cpu(), Device::interpreter()}) {
    for (int step : {0, -3}) {
      Result<void> done = count.launch({.grid = {1}, .device = device}, {*x, step});
      EXPECT_EQ(done.error().status, Status::CheckFailed);
      EXPECT_TRUE(contains(done.error().message, "safety.py:19:14: error: the step of the loop must be positive"))
          << done.error().message;
    }
    EXPECT_TRUE(count.launch({.grid = {1}, .device = device}, {*x, 3}));
    EXPECT_EQ(x->values<int32_t>()[0], 4);
  }
}

TEST(Safety, AGridIsAsked) {
  Kernel fill = kernel("fill");
  Result<Tensor> x = Tensor::zeros(DType::Fp32, {64});
  Result<void> none = fill.launch({}, {*x, 64});
  EXPECT_EQ(none.error().status, Status::BadInput);
  EXPECT_TRUE(contains(none.error().message, "no grid is given")) << none.error().message;
  Result<void> four = fill.launch({.grid = {1, 1, 1, 2}}, {*x, 64});
  EXPECT_EQ(four.error().message, "error: a grid has one to three extents, not 4\n");
  ASSERT_TRUE(fill.launch({.grid = {1}}, {*x, 64}));
  EXPECT_FALSE(fill.launch({}, {*x, 64})); // the quick way knows this kernel now
}

// A launch without programs is asked for in so many words: a grid that is 0 where C fills it up is a mistake. Each twice, as a kernel is launched
// in another way when it is known.
TEST(Safety, AGridThatCFillsUpIsAnError) {
  nereid_module *module = nullptr;
  ASSERT_EQ(nereid_module_parse("grid.py", kText, std::strlen(kText), &module), NEREID_OK);
  nereid_kernel *kernel = nullptr;
  ASSERT_EQ(nereid_module_kernel(module, "fill", &kernel), NEREID_OK);
  float values[8] = {};
  int64_t extents[] = {8}, strides[] = {1};
  nereid_argument arguments[] = {{.kind = NEREID_TENSOR, .tensor = {values, NEREID_FP32, 1, extents, strides}},
                                 {.kind = NEREID_INT, .integer = 8}};
  auto launch = [&](int64_t x, int64_t y, int64_t z) {
    nereid_launch_options options{.size = sizeof options, .grid = {x, y, z}, .device = "cpu"};
    return nereid_launch(kernel, arguments, 2, &options);
  };
  constexpr int64_t kLarge = int64_t(1) << 31;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(launch(1, 0, 0), NEREID_BAD_INPUT);
    EXPECT_TRUE(contains(nereid_last_error(), "as in {n, 1, 1}")) << nereid_last_error();
    EXPECT_EQ(launch(1, 1, 0), NEREID_BAD_INPUT);
    EXPECT_EQ(launch(0, 0, 0), NEREID_BAD_INPUT);
    for (auto [x, y, z] : {std::array{kLarge, int64_t(1), int64_t(1)},
                           {int64_t(1), int64_t(65536), int64_t(1)},
                           {int64_t(1), int64_t(1), int64_t(65536)},
                           {INT64_MIN, int64_t(1), int64_t(1)},
                           {int64_t(1), int64_t(-1), int64_t(1)},
                           {int64_t(0), int64_t(1), int64_t(-1)},
                           {kLarge - 1, int64_t(2), int64_t(1)}})
      EXPECT_EQ(launch(x, y, z), NEREID_BAD_INPUT) << x << " " << y << " " << z;
    for (auto [x, y] : {std::array{int64_t(0), int64_t(1)}, {int64_t(4), int64_t(0)}, {kLarge - 1, int64_t(0)}})
      EXPECT_EQ(launch(x, y, 65535), NEREID_OK) << nereid_last_error();
    EXPECT_EQ(values[0], round ? 1 : 0);
    EXPECT_EQ(launch(1, 1, 1), NEREID_OK);
    EXPECT_EQ(values[0], 1);
  }
  nereid_kernel_free(kernel);
  nereid_module_free(module);
}

TEST(Safety, AnEmptyGridOfCppRunsNothing) {
  Kernel fill = kernel("fill");
  fill.on(Device::cpu());
  Result<Tensor> x = Tensor::zeros(DType::Fp32, {64});
  for (int round = 0; round < 2; ++round) {
    for (const std::vector<int64_t> &grid :
         {std::vector<int64_t>{0}, {0, 0}, {0, 0, 0}, {2, 0}, {2, 0, 0}, {2, 2, 0}, {2147483647, 65535, 0}}) {
      EXPECT_TRUE(fill.launch({.grid = grid, .device = Device::cpu()}, {*x, 64}));
      EXPECT_TRUE(fill(Grid(grid[0], grid.size() > 1 ? grid[1] : 1, grid.size() > 2 ? grid[2] : 1), *x, 64));
    }
    for (const std::vector<int64_t> &grid :
         {std::vector<int64_t>{-1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {int64_t(1) << 31, 0, 0}})
      EXPECT_FALSE(fill.launch({.grid = grid, .device = Device::cpu()}, {*x, 64}));
    EXPECT_EQ(x->values<float>()[0], round ? 1 : 0);
    ASSERT_TRUE(fill.launch({.grid = {1}, .device = Device::cpu()}, {*x, 64}));
  }
}

} // namespace
} // namespace nereid
