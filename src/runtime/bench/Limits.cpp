#include "runtime/bench/Limits.h"

#include "runtime/bench/Measure.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace nereid::runtime {

namespace {

// Calls work(0) … work(threads-1), each on a thread of its own.
template <class Work> void onThreads(unsigned threads, Work work) {
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work, i);
  work(0u);
  for (std::thread &thread : others)
    thread.join();
}

// Independent multiply-adds: four cycles on two ports need eight; sixteen registers hold twelve and two constants.
constexpr int kChains = 12;

// `Vector` is a register.
template <class Vector> [[gnu::always_inline]] inline float multiplyAdd(size_t count) {
  Vector sums[kChains];
  for (int i = 0; i < kChains; ++i) // all different, and none where it stays: such chains would not be computed
    sums[i] = Vector{} + static_cast<float>(i + 2);
  Vector factor = {}, step = {};
  for (size_t i = 0; i < sizeof(Vector) / sizeof(float); ++i)
    factor[i] = 0.999f, step[i] = 0.001f;
  for (size_t i = 0; i < count; ++i)
    for (Vector &sum : sums)
      sum = sum * factor + step;
  Vector total = {};
  for (Vector &sum : sums)
    total += sum;
  return total[0];
}

#if defined(__x86_64__)
using Vector4 = float __attribute__((vector_size(16)));
using Vector8 = float __attribute__((vector_size(32)));
using Vector16 = float __attribute__((vector_size(64)));

float multiplyAdd4(size_t count) { return multiplyAdd<Vector4>(count); }
[[gnu::target("avx2,fma")]] float multiplyAdd8(size_t count) { return multiplyAdd<Vector8>(count); }
[[gnu::target("avx512f,fma")]] float multiplyAdd16(size_t count) { return multiplyAdd<Vector16>(count); }

struct Widest {
  float (*run)(size_t);
  double flops; // of one round
};
Widest widest() {
  if (__builtin_cpu_supports("avx512f"))
    return {multiplyAdd16, kChains * 16 * 2};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {multiplyAdd8, kChains * 8 * 2};
  return {multiplyAdd4, kChains * 4 * 2};
}
#else
using Vector4 = float __attribute__((vector_size(16)));
float multiplyAdd4(size_t count) { return multiplyAdd<Vector4>(count); }
struct Widest {
  float (*run)(size_t);
  double flops;
};
Widest widest() { return {multiplyAdd4, kChains * 4 * 2}; }
#endif

double copyBandwidth(unsigned threads) {
  constexpr size_t kBytes = size_t(128) << 20; // each: far above any cache of one core
  std::unique_ptr<char[]> from(new char[kBytes]), to(new char[kBytes]);
  std::memset(from.get(), 1, kBytes);
  std::memset(to.get(), 2, kBytes);
  Timings timings = measure(
      [&] {
        onThreads(threads, [&](unsigned index) {
          size_t begin = kBytes / threads * index, end = index + 1 == threads ? kBytes : kBytes / threads * (index + 1);
          std::memcpy(to.get() + begin, from.get() + begin, end - begin);
        });
        asm volatile("" : : "r"(to.get()) : "memory");
        return true;
      },
      {.seconds = 0.25, .minRuns = 5});
  return 2.0 * kBytes / timings.best;
}

double fmaRate(unsigned threads) {
  constexpr size_t kRounds = 2000000;
  Widest kernel = widest();
  Timings timings = measure(
      [&] {
        onThreads(threads, [&](unsigned) {
          float result = kernel.run(kRounds);
          asm volatile("" : : "r"(&result) : "memory");
        });
        return true;
      },
      {.seconds = 0.15, .minRuns = 5});
  return kernel.flops * kRounds * threads / timings.best;
}

} // namespace

Limits measureLimits(unsigned threads) { return {threads, copyBandwidth(threads), fmaRate(threads)}; }

} // namespace nereid::runtime
