// Launches on the CPU by the thousand: the quick way must give what the long way gives, whatever changes between calls:
// values, alignment, types, overlap, an integer that becomes 1, names in another order; from many threads; and a
// failing program must say so each time.
#include "nereid/nereid.hpp"

#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace nereid {

namespace {

constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def shift(x, y, n, stride, by, SIGN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i * stride, i < n) + SIGN * by, i < n)

@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def even(y, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    tl.store(y, 1 if EVEN else 0)

@triton.autotune([triton.Config({"BLOCK": size}) for size in (16, 64)], key=["n"])
@triton.jit
def increase(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)

@triton.jit
def positive(x):
    tl.device_assert(tl.load(x) > 0, "not positive")

@triton.jit
def say(n):
    tl.device_print("n", n)
)";

class QuickLaunch : public ::testing::Test {
protected:
  void SetUp() override {
    Result<Module> loaded = Module::parse("quick.py", kText);
    ASSERT_TRUE(loaded) << loaded.error().message;
    module.emplace(std::move(*loaded));
  }
  Kernel kernel(const char *name) {
    Result<Kernel> found = module->kernel(name);
    EXPECT_TRUE(found) << found.error().message;
    found->on(Device::cpu());
    return std::move(*found);
  }
  std::optional<Module> module;
};

} // namespace

TEST_F(QuickLaunch, everyCallGetsItsOwnCode) {
  Kernel shift = kernel("shift");
  alignas(64) int32_t from[512], to[512];
  std::mt19937 random(1);
  auto pick = [&](std::initializer_list<int> list) { return list.begin()[random() % list.size()]; };
  for (int round = 0; round < 3000; ++round) {
    int n = pick({1, 2, 16, 17, 64, 100}), stride = pick({1, 2}), by = pick({0, 1, 16, -5}), sign = pick({-1, 1}),
        block = 32;
    int offset = pick({0, 1, 4});
    for (int i = 0; i < 512; ++i)
      from[i] = static_cast<int32_t>(random()), to[i] = 7;
    Tensor x = Tensor::borrow(from + offset, DType::Int32, {300}), y = Tensor::borrow(to + offset, DType::Int32, {300});
    int64_t grid = (n + block - 1) / block;
    Result<void> done = round % 2 ? shift(grid, x, y, n, stride, by, sign, block)
                                  : shift(grid, x, y, named("BLOCK", block), named("n", n), named("by", by),
                                          named("SIGN", sign), named("stride", stride));
    ASSERT_TRUE(done) << done.error().message;
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(to[offset + i], static_cast<int32_t>(static_cast<uint32_t>(from[offset + i * stride]) +
                                                     static_cast<uint32_t>(sign * by)))
          << "n " << n << " stride " << stride << " at " << i;
    ASSERT_EQ(to[offset + n], 7);
  }
}

TEST_F(QuickLaunch, otherTypesAreOtherCode) {
  Kernel shift = kernel("shift");
  for (int round = 0; round < 3; ++round) {
    std::vector<int16_t> a(64, 300), b(64);
    std::vector<float> c(64, 1.5f), d(64);
    std::vector<int64_t> e(64, int64_t(1) << 40), f(64);
    ASSERT_TRUE(shift(1, Tensor::borrow(a.data(), DType::Int16, {64}), Tensor::borrow(b.data(), DType::Int16, {64}), 64,
                      1, 2, 1, 64));
    ASSERT_TRUE(shift(1, Tensor::borrow(c.data(), DType::Fp32, {64}), Tensor::borrow(d.data(), DType::Fp32, {64}), 64,
                      1, 0.25, 1, 64));
    ASSERT_TRUE(shift(1, Tensor::borrow(e.data(), DType::Int64, {64}), Tensor::borrow(f.data(), DType::Int64, {64}), 64,
                      1, int64_t(1) << 35, 1, 64));
    EXPECT_EQ(b[63], 302);
    EXPECT_EQ(d[63], 1.75f);
    EXPECT_EQ(f[63], (int64_t(1) << 40) + (int64_t(1) << 35));
  }
}

// y is x, one element further: each program reads its whole block before it writes.
TEST_F(QuickLaunch, overlappingTensors) {
  Kernel shift = kernel("shift");
  for (int round = 0; round < 3; ++round) {
    std::vector<int32_t> memory(129), apart(128);
    for (int i = 0; i < 129; ++i)
      memory[static_cast<size_t>(i)] = i;
    Tensor x = Tensor::borrow(memory.data(), DType::Int32, {128}),
           y = Tensor::borrow(memory.data() + 1, DType::Int32, {128});
    ASSERT_TRUE(shift(1, x, Tensor::borrow(apart.data(), DType::Int32, {128}), 128, 1, 5, 1, 128));
    ASSERT_TRUE(shift(1, x, y, 128, 1, 5, 1, 128));
    for (int i = 0; i < 128; ++i) {
      EXPECT_EQ(apart[static_cast<size_t>(i)], i + 5);
      EXPECT_EQ(memory[static_cast<size_t>(i) + 1], i + 5);
    }
  }
}

TEST_F(QuickLaunch, heuristicsSeeEveryValue) {
  Kernel even = kernel("even");
  int32_t answer = -1;
  Tensor y = Tensor::borrow(&answer, DType::Int32, {1});
  for (int n : {32, 33, 64, 65, 32, 33, 64, 65}) {
    ASSERT_TRUE(even(1, y, n, 32));
    EXPECT_EQ(answer, n % 32 == 0) << n;
  }
}

// Tuning runs the kernel many times; what the caller sees is one run.
TEST_F(QuickLaunch, autotunedKernels) {
  Kernel increase = kernel("increase");
  std::vector<int32_t> memory(200, 0);
  int expected = 0;
  for (int n : {200, 100, 200, 100, 50}) {
    Tensor x = Tensor::borrow(memory.data(), DType::Int32, {n});
    for (int again = 0; again < 3; ++again) {
      Result<void> done = increase.launch({.gridExpression = "cdiv(n, BLOCK)", .device = Device::cpu()}, {x, n});
      ASSERT_TRUE(done) << done.error().message;
      ASSERT_EQ(memory[0], ++expected);
    }
  }
  EXPECT_EQ(memory[49], 15);
  EXPECT_EQ(memory[99], 12);
  EXPECT_EQ(memory[199], 6);
}

TEST_F(QuickLaunch, gridExpressions) {
  Kernel shift = kernel("shift");
  std::vector<int32_t> from(256, 1), to(256);
  Tensor x = Tensor::borrow(from.data(), DType::Int32, {256}), y = Tensor::borrow(to.data(), DType::Int32, {256});
  for (int n : {256, 100, 256, 40, 100}) {
    std::fill(to.begin(), to.end(), 0);
    ASSERT_TRUE(shift.launch({.gridExpression = "cdiv(n, BLOCK)", .device = Device::cpu()}, {x, y, n, 1, 1, 1, 32}));
    EXPECT_EQ(std::count(to.begin(), to.end(), 2), n);
  }
}

TEST_F(QuickLaunch, failuresAndWrongCallsAreSaidEachTime) {
  Kernel positive = kernel("positive"), shift = kernel("shift");
  float value = 1;
  LaunchOptions options{.grid = {1}, .device = Device::cpu(), .debug = true};
  Tensor x = Tensor::borrow(&value, DType::Fp32, {1});
  for (int round = 0; round < 3; ++round) {
    value = 1;
    EXPECT_TRUE(positive.launch(options, {x}));
    value = -1;
    Result<void> failed = positive.launch(options, {x});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().status, Status::CheckFailed);
    EXPECT_NE(failed.error().message.find("not positive"), std::string::npos) << failed.error().message;
    EXPECT_NE(failed.error().message.find("quick.py:23"), std::string::npos) << failed.error().message;
  }
  std::vector<int32_t> memory(64);
  Tensor y = Tensor::borrow(memory.data(), DType::Int32, {64});
  ASSERT_TRUE(shift(1, y, y, 64, 1, 1, 1, 64));
  EXPECT_FALSE(shift(-1, y, y, 64, 1, 1, 1, 64));
  EXPECT_FALSE(shift(Grid(1, 70000), y, y, 64, 1, 1, 1, 64));
  EXPECT_FALSE(shift(1, y, y, 64));
  EXPECT_FALSE(shift(1, y, y, 64, 1, 1, 1, named("BLOCKS", 64)));
  EXPECT_FALSE(shift(1, Tensor::borrow(nullptr, DType::Int32, {64}), y, 64, 1, 1, 1, 64));
  EXPECT_TRUE(shift(0, y, y, 64, 1, 1, 1, 64)); // an empty grid runs nothing
}

TEST_F(QuickLaunch, whatIsPrinted) {
  Kernel say = kernel("say");
  for (int n : {40, 41, 42}) {
    ASSERT_TRUE(say(1, n));
    EXPECT_NE(std::string(nereid_last_output()).find(std::to_string(n)), std::string::npos) << nereid_last_output();
  }
}

TEST_F(QuickLaunch, manyThreads) {
  Kernel shift = kernel("shift");
  std::atomic<int> wrong{0};
  auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int32_t> from(64), to(64);
    for (int round = 0; round < 500; ++round) {
      int n = static_cast<int>(random() % 64) + 1, by = static_cast<int>(random() % 100);
      for (int32_t &value : from)
        value = static_cast<int32_t>(random() % 1000);
      bool isFine = bool(shift(1, Tensor::borrow(from.data(), DType::Int32, {64}),
                               Tensor::borrow(to.data(), DType::Int32, {64}), n, 1, by, 1, 64));
      for (int i = 0; i < n; ++i)
        isFine &= to[static_cast<size_t>(i)] == from[static_cast<size_t>(i)] + by;
      wrong += !isFine;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace nereid
