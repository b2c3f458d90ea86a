// DotRate.cpp: GFLOP/s of matrix products on one core, packing included, beside the core's measured peak.
//
//   dot-rate [TARGET…]     x86-64-v3, x86-64-v4, native, …: default native
#include "DotRunner.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

using namespace nereid::cpu;
using namespace nereid::cpu::test;

// Seconds of one call: the best of many rounds, since other work disturbs the slower ones.
static double bestSeconds(const std::function<void()> &work) {
  using Clock = std::chrono::steady_clock;
  auto once = [&](int64_t calls) {
    auto begin = Clock::now();
    for (int64_t i = 0; i < calls; ++i)
      work();
    return std::chrono::duration<double>(Clock::now() - begin).count() / calls;
  };
  double best = once(10);
  int64_t calls = std::max<int64_t>(1, 2e-3 / best);
  for (int round = 0; round < 60; ++round)
    best = std::min(best, once(calls));
  return best;
}

// Twelve independent chains of fused multiply-adds, in the assembler's words: a compiler would fold them.
static void run256(int64_t steps) {
  asm volatile("1:\n"
               ".irp r,0,1,2,3,4,5,6,7,8,9,10,11\n vfmadd231ps %%ymm12, %%ymm12, %%ymm\\r\n .endr\n"
               "dec %0\n jnz 1b\n vzeroupper"
               : "+r"(steps)
               :
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11");
}
static void run512(int64_t steps) {
  asm volatile("1:\n"
               ".irp r,0,1,2,3,4,5,6,7,8,9,10,11\n vfmadd231ps %%zmm12, %%zmm12, %%zmm\\r\n .endr\n"
               "dec %0\n jnz 1b\n vzeroupper"
               : "+r"(steps)
               :
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11");
}

static double peakOf(const Target &target) {
  if (target.vectorBits < 256 || !target.hasFma)
    return 0;
  double seconds = bestSeconds([&] { target.vectorBits == 512 ? run512(10000) : run256(10000); });
  return 12. * 10000 * 2 * target.lanes(32) / seconds * 1e-9;
}

struct Case {
  int64_t m, n, k;
  DotElement element;
  Strides lhs, rhs;
  int64_t pitch; // elements between rows (or columns) in memory; 0: none
};

static void *allocate(size_t bytes) {
  void *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  std::memset(memory, 0, (bytes + 4095) / 4096 * 4096);
  return memory;
}

static void timeCase(const Target &target, const Case &c, double peak) {
  bool isInteger = c.element == DotElement::I8 || c.element == DotElement::I16;
  DotElement acc = isInteger ? DotElement::I32 : c.element == DotElement::F64 ? DotElement::F64 : DotElement::F32;
  DotSpec spec{c.m, c.n, c.k, c.element, c.element, acc, DotPrecision::IEEE};
  DotRunner runner(target, spec, c.lhs, c.rhs);
  if (!runner.error.empty()) {
    std::printf("%s\n", runner.error.c_str());
    return;
  }
  int64_t lhsPitch = c.pitch ? c.pitch : c.lhs == Strides::ColumnMajor ? c.m : c.k;
  int64_t rhsPitch = c.pitch ? c.pitch : c.rhs == Strides::ColumnMajor ? c.k : c.n;
  auto operand = [&](Strides strides, int64_t pitch) {
    void *data = allocate(8 * pitch * std::max({c.m, c.n, c.k}));
    return strides == Strides::ColumnMajor ? RunOperand{data, 1, pitch} : RunOperand{data, pitch, 1};
  };
  RunOperand lhs = operand(c.lhs, lhsPitch), rhs = operand(c.rhs, rhsPitch);
  void *sums = allocate(8 * c.m * c.n), *scratch = allocate(runner.scratchBytes);
  double seconds = bestSeconds([&] { runner.run(lhs, rhs, sums, scratch); });
  double rate = 2. * c.m * c.n * c.k / seconds * 1e-9;
  const char *kNames[] = {"row", "col", "any"};
  std::printf("  %4ld x %4ld x %4ld type %2d  lhs %s rhs %s pitch %5ld: %8.2f us %7.1f GFLOP/s", long(c.m), long(c.n),
              long(c.k), int(c.element), kNames[int(c.lhs)], kNames[int(c.rhs)], long(c.pitch), seconds * 1e6, rate);
  if (peak > 0)
    std::printf(" %5.1f %%", 100 * rate / peak);
  std::printf("   compiled in %.1f ms\n", runner.compileMilliseconds);
  std::free(const_cast<void *>(lhs.data)), std::free(const_cast<void *>(rhs.data)), std::free(sums), std::free(scratch);
}

int main(int argc, char **argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty())
    names = {"native"};
  Strides row = Strides::RowMajor, column = Strides::ColumnMajor, any = Strides::General;
  DotElement f32 = DotElement::F32, f64 = DotElement::F64;
  for (const std::string &name : names) {
    std::optional<Target> target = findTarget(name);
    if (!target || !canRun(*target)) {
      std::printf("%s: not for this machine\n", name.c_str());
      continue;
    }
    double peak = peakOf(*target);
    std::printf("%s: peak %.1f GFLOP/s of f32\n", name.c_str(), peak);
    Case cases[] = {{128, 128, 256, f32, row, row, 0},    {64, 64, 64, f32, row, row, 0},
                    {64, 64, 32, f32, row, row, 0},       {256, 256, 256, f32, row, row, 0},
                    {128, 128, 256, f32, row, row, 1024}, {128, 128, 256, f32, row, column, 0},
                    {128, 128, 64, f32, row, row, 1024},  {128, 64, 64, f32, row, row, 0},
                    {64, 64, 64, f32, row, column, 0},    {128, 128, 256, f32, column, row, 0},
                    {128, 128, 256, f32, any, any, 0},    {16, 64, 64, f32, row, row, 0},
                    {16, 16, 16, f32, row, row, 0},       {128, 16, 64, f32, row, row, 0},
                    {512, 512, 512, f32, row, row, 0},    {128, 128, 256, f64, row, row, 0},
                    {128, 128, 256, DotElement::F16, row, row, 0},
                    {128, 128, 256, DotElement::BF16, row, row, 0},
                    {128, 128, 256, DotElement::I8, row, row, 0}};
    for (const Case &c : cases)
      timeCase(*target, c, peak);
  }
}
