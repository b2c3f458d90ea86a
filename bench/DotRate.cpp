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

using Work = std::function<void()>;

static double secondsOf(const Work &work, int64_t calls) {
  auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls; ++i)
    work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls;
}

// Seconds of one call of each, the best of many rounds: other work disturbs some, and the clock changes, so they take
// turns.
static std::pair<double, double> bestSeconds(const Work &a, const Work &b) {
  double bestA = secondsOf(a, 10), bestB = secondsOf(b, 10);
  int64_t callsA = std::max<int64_t>(1, 3e-4 / bestA), callsB = std::max<int64_t>(1, 1e-4 / bestB);
  for (int round = 0; round < 400; ++round) {
    bestA = std::min(bestA, secondsOf(a, callsA));
    bestB = std::min(bestB, secondsOf(b, callsB));
  }
  return {bestA, bestB};
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

constexpr int64_t kPeakSteps = 1000;
static void runPeak(const Target &target) {
  if (target.vectorBits == 512)
    run512(kPeakSteps);
  else if (target.vectorBits == 256)
    run256(kPeakSteps);
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

static void timeCase(const Target &target, const Case &c) {
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
  auto [seconds, peakSeconds] =
      bestSeconds([&] { runner.run(lhs, rhs, sums, scratch); }, [&] { runPeak(target); });
  double peak = 12. * kPeakSteps * 2 * target.lanes(32) / peakSeconds * 1e-9;
  double rate = 2. * c.m * c.n * c.k / seconds * 1e-9;
  const char *kNames[] = {"row", "col", "any"};
  std::printf("  %4ld x %4ld x %4ld type %2d  lhs %s rhs %s pitch %5ld: %8.2f us %7.1f GFLOP/s", long(c.m), long(c.n),
              long(c.k), int(c.element), kNames[int(c.lhs)], kNames[int(c.rhs)], long(c.pitch), seconds * 1e6, rate);
  if (target.vectorBits >= 256)
    std::printf(" %5.1f %% of %5.1f", 100 * rate / peak, peak);
  std::printf("   compiled in %.1f ms\n", runner.compileMilliseconds);
  std::free(const_cast<void *>(lhs.data)), std::free(const_cast<void *>(rhs.data)), std::free(sums), std::free(scratch);
}

int main(int argc, char **argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty())
    names = {"native"};
  Strides row = Strides::RowMajor, column = Strides::ColumnMajor, any = Strides::General;
  DotElement f32 = DotElement::F32, f64 = DotElement::F64;
  // TEMP
  if (getenv("CASE")) {
    Target t = *findTarget(names[0]);
    Case c{0,0,0,f32,row,row,0}; int e=0,l=0,r=0; long m,n,k,p=0; sscanf(getenv("CASE"),"%ld %ld %ld %d %d %d %ld",&m,&n,&k,&e,&l,&r,&p);
    c.m=m;c.n=n;c.k=k;c.pitch=p;c.element=DotElement(e);c.lhs=Strides(l);c.rhs=Strides(r);
    for(int i=0;i<3;i++) timeCase(t,c); return 0;
  }
  for (const std::string &name : names) {
    std::optional<Target> target = findTarget(name);
    if (!target || !canRun(*target)) {
      std::printf("%s: not for this machine\n", name.c_str());
      continue;
    }
    std::printf("%s: (the peak is that of f32)\n", name.c_str());
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
      timeCase(*target, c);
  }
}
