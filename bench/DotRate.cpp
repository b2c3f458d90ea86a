// DotRate.cpp: GFLOP/s of matrix products on one core, packing included, beside the core's measured peak.
//
//   dot-rate [TARGET…] [CASE…]
//
// A target is `native`, `x86-64-v3`, …; a case is MxNxK[:TYPE[:LHS:RHS[:PITCH]]]: f32, f64, f16, bf16, i8; `row`, `col`
// or `any` for what the code knows of the strides; and the elements from one row (or column) to the next in memory.
#include "DotRunner.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
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
  int64_t pitch; // 0: no gaps
  std::string text;
};

static void *allocate(size_t bytes) {
  void *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  std::memset(memory, 0, (bytes + 4095) / 4096 * 4096);
  return memory;
}

static void timeCase(const Target &target, const Case &c) {
  DotElement acc = c.element == DotElement::I8    ? DotElement::I32
                   : c.element == DotElement::F64 ? DotElement::F64
                                                  : DotElement::F32;
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
  auto [seconds, peakSeconds] = bestSeconds([&] { runner.run(lhs, rhs, sums, scratch); }, [&] { runPeak(target); });
  double peak = 12. * kPeakSteps * 2 * target.lanes(32) / peakSeconds * 1e-9;
  double rate = 2. * c.m * c.n * c.k / seconds * 1e-9;
  std::printf("  %-28s %9.2f us %7.1f GFLOP/s", c.text.c_str(), seconds * 1e6, rate);
  if (target.vectorBits >= 256)
    std::printf(" %5.1f %% of %5.1f", 100 * rate / peak, peak);
  std::printf("   compiled in %.1f ms\n", runner.compileMilliseconds);
  std::free(const_cast<void *>(lhs.data)), std::free(const_cast<void *>(rhs.data)), std::free(sums), std::free(scratch);
}

static const std::pair<const char *, DotElement> kTypes[] = {{"f32", DotElement::F32},      {"f64", DotElement::F64},
                                                             {"f16", DotElement::F16},      {"bf16", DotElement::BF16},
                                                             {"fp8", DotElement::F8E4M3FN}, {"i8", DotElement::I8}};

static std::optional<Case> parseCase(const std::string &text) {
  long m, n, k, pitch = 0;
  char type[8] = "f32", lhs[8] = "row", rhs[8] = "row";
  if (std::sscanf(text.c_str(), "%ldx%ldx%ld:%7[^:]:%7[^:]:%7[^:]:%ld", &m, &n, &k, type, lhs, rhs, &pitch) < 3)
    return std::nullopt;
  auto stridesOf = [](std::string name) {
    return name == "row" ? Strides::RowMajor : name == "col" ? Strides::ColumnMajor : Strides::General;
  };
  for (auto [name, element] : kTypes)
    if (name == std::string(type))
      return Case{m, n, k, element, stridesOf(lhs), stridesOf(rhs), pitch, text};
  return std::nullopt;
}

int main(int argc, char **argv) {
  std::vector<Target> targets;
  std::vector<Case> cases;
  for (std::string word : std::vector<std::string>(argv + 1, argv + argc)) {
    std::optional<Case> found = parseCase(word);
    std::optional<Target> target = findTarget(word);
    if (found)
      cases.push_back(*found);
    else if (target && target->runsHere())
      targets.push_back(*target);
    else
      std::printf("%s: not a case, and not a target that this machine runs\n", word.c_str());
  }
  if (targets.empty())
    targets = {hostTarget()};
  if (cases.empty())
    for (const char *text :
         {"128x128x256", "64x64x64", "64x64x32", "256x256x256", "512x512x512", "128x128x32", "16x64x64", "128x16x64",
          "128x128x256:f32:row:row:1024", "128x128x256:f32:row:col", "64x64x64:f32:row:col", "128x128x256:f32:col:row",
          "128x128x256:f32:any:any", "128x128x256:f64", "128x128x256:f16", "128x64x64:f16:row:col", "128x128x256:bf16",
          "128x128x256:fp8", "128x128x256:i8"})
      cases.push_back(*parseCase(text));
  for (const Target &target : targets) {
    std::printf("%s, packing included, against the peak of f32\n", target.text().c_str());
    for (const Case &c : cases)
      timeCase(target, c);
  }
}
