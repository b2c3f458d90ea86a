// Compare.cpp: the library kernels on the CPU against OpenBLAS (Debian's, loaded at run time) and memcpy, in one
// process and in one run: ratios do not depend on how fast the machine is today.
//
//   matmul fp32 at 512, 1024 and 2048 cubed, one and two threads   as a share of OpenBLAS's rate
//   softmax and layer norm, 4096 x 4096 fp32                       as a share of the bandwidth of memcpy
//   attention forward, S 2048, d 64, fp32                          as a share of our matmul's rate at 1024 cubed
//
// Rounds of the two sides alternate, each after a pause: OpenBLAS's threads go on spinning for a while after a call.
// The figure of a side is its best round.
#include "nereid/kernels/flash_attention.hpp"
#include "nereid/kernels/layer_norm.hpp"
#include "nereid/kernels/matmul.hpp"
#include "nereid/kernels/softmax.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <thread>

namespace {

using nereid::DType;
using nereid::Tensor;
using Clock = std::chrono::steady_clock;

// The part of OpenBLAS that is used.
struct OpenBlas {
  void (*sgemm)(int order, int transA, int transB, int m, int n, int k, float alpha, const float *a, int lda,
                const float *b, int ldb, float beta, float *c, int ldc) = nullptr;
  void (*setThreads)(int) = nullptr;
  const char *version = "";

  static OpenBlas load() {
    OpenBlas blas;
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return blas;
    blas.sgemm = reinterpret_cast<decltype(blas.sgemm)>(dlsym(library, "cblas_sgemm"));
    blas.setThreads = reinterpret_cast<decltype(blas.setThreads)>(dlsym(library, "openblas_set_num_threads"));
    if (auto *config = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_config")))
      blas.version = config();
    return blas;
  }
  explicit operator bool() const { return sgemm && setThreads; }
};

Tensor random(std::vector<int64_t> shape) {
  Tensor tensor = *Tensor::zeros(DType::Fp32, std::move(shape));
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  for (float &value : tensor.values<float>())
    value = normal(engine);
  return tensor;
}

// Alternating rounds of two pieces of work; the best time of each, in seconds.
class Duel {
public:
  explicit Duel(double seconds) : seconds(seconds) {}

  std::pair<double, double> run(const std::function<void()> &first, const std::function<void()> &second) const {
    double best[2] = {1e30, 1e30};
    for (double spent = 0; spent < seconds;) {
      for (int side : {0, 1}) {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        spent += round(side ? second : first, best[side]);
      }
    }
    return {best[0], best[1]};
  }

private:
  // A few runs one after another; the first one wakes threads and fills caches.
  static double round(const std::function<void()> &work, double &best) {
    work();
    double total = 0;
    for (int i = 0; i < 3; ++i) {
      auto start = Clock::now();
      work();
      double time = std::chrono::duration<double>(Clock::now() - start).count();
      best = std::min(best, time);
      total += time;
    }
    return total;
  }
  double seconds;
};

void require(const nereid::Result<void> &result) {
  if (result)
    return;
  std::fputs(result.error().message.c_str(), stderr);
  std::exit(3);
}

void row(const char *what, double ours, const char *unit, const char *peer, double theirs, double goal) {
  double ratio = ours / theirs;
  std::printf("%-34s %9.1f %-8s %-10s %9.1f   ratio %.2f  (goal %.2f%s)\n", what, ours, unit, peer, theirs, ratio, goal,
              ratio < goal ? ", below" : "");
  std::fflush(stdout);
}

nereid::LaunchOptions onCpu(int threads) { return {.device = nereid::Device::cpu(), .threads = threads}; }

// The largest difference over the largest value: both compute the same.
double difference(const Tensor &a, const Tensor &b) {
  auto x = a.values<float>(), y = b.values<float>();
  double worst = 0, largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, static_cast<double>(std::fabs(x[i] - y[i])));
    largest = std::max(largest, static_cast<double>(std::fabs(y[i])));
  }
  return worst / largest;
}

void compareMatmul(const OpenBlas &blas, const Duel &duel, int size, int threads) {
  Tensor a = random({size, size}), b = random({size, size}), ours = random({size, size}), theirs = random({size, size});
  blas.setThreads(threads);
  constexpr int kRowMajor = 101, kPlain = 111;
  auto [first, second] =
      duel.run([&] { require(nereid::kernels::matmul(ours, a, b, {}, onCpu(threads))); },
               [&] {
                 blas.sgemm(kRowMajor, kPlain, kPlain, size, size, size, 1, a.values<float>().data(), size,
                            b.values<float>().data(), size, 0, theirs.values<float>().data(), size);
               });
  if (double wrong = difference(ours, theirs); wrong > 1e-4) {
    std::fprintf(stderr, "matmul of %d: the results differ by %g\n", size, wrong);
    std::exit(1);
  }
  double flops = 2.0 * size * size * size;
  std::string name = "matmul " + std::to_string(size) + " cubed, threads: " + std::to_string(threads);
  row(name.c_str(), flops / first / 1e9, "GFLOP/s", "OpenBLAS", flops / second / 1e9, 0.85);
}

void copyAll(const Tensor &from, const Tensor &to, int threads) {
  size_t bytes = from.spanBytes(), share = bytes / static_cast<size_t>(threads);
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([&, i] {
      std::memcpy(to.data() + share * static_cast<size_t>(i), from.data() + share * static_cast<size_t>(i), share);
    });
  std::memcpy(to.data(), from.data(), share);
  for (std::thread &thread : others)
    thread.join();
}

void compareRows(const Duel &duel, int threads) {
  constexpr int kSize = 4096;
  Tensor x = random({kSize, kSize}), out = *x.clone(), copy = *x.clone(), weight = random({kSize}),
         bias = random({kSize});
  double bytes = 2.0 * 4 * kSize * kSize;
  auto compare = [&](const char *name, const std::function<void()> &kernel) {
    auto [ours, theirs] = duel.run(kernel, [&] { copyAll(x, copy, threads); });
    std::string text = std::string(name) + " 4096 x 4096, threads: " + std::to_string(threads);
    row(text.c_str(), bytes / ours / 1e9, "GB/s", "memcpy", bytes / theirs / 1e9, 0.7);
  };
  compare("softmax", [&] { require(nereid::kernels::softmax(out, x, 1, onCpu(threads))); });
  compare("layer norm", [&] {
    auto moments = nereid::kernels::layerNorm(out, x, weight, bias, 1e-5, onCpu(threads));
    require(moments ? nereid::Result<void>() : moments.error());
  });
}

void compareAttention(const Duel &duel, int threads) {
  constexpr int kHeads = 4, kLength = 2048, kDim = 64, kMatrix = 1024;
  Tensor q = random({1, kHeads, kLength, kDim}), k = random({1, kHeads, kLength, kDim}),
         v = random({1, kHeads, kLength, kDim});
  Tensor out = *q.clone(), lse = *Tensor::zeros(DType::Fp32, {1, kHeads, kLength});
  Tensor a = random({kMatrix, kMatrix}), b = random({kMatrix, kMatrix}), c = random({kMatrix, kMatrix});
  auto [ours, matmul] = duel.run([&] { require(nereid::kernels::attention(out, lse, q, k, v, {}, onCpu(threads))); },
                                 [&] { require(nereid::kernels::matmul(c, a, b, {}, onCpu(threads))); });
  double flops = 4.0 * kHeads * kLength * kLength * kDim, matmulFlops = 2.0 * kMatrix * kMatrix * kMatrix;
  std::string name = "attention S 2048 d 64, threads: " + std::to_string(threads);
  row(name.c_str(), flops / ours / 1e9, "GFLOP/s", "matmul", matmulFlops / matmul / 1e9, 0.6);
}

} // namespace

int main(int argc, char **argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 1.5;
  setenv("OPENBLAS_THREAD_TIMEOUT", "4", 1); // its threads stop spinning early
  OpenBlas blas = OpenBlas::load();
  if (!blas)
    std::puts("OpenBLAS is not installed (libopenblas0): its comparisons are left out");
  else
    std::printf("%s\n", blas.version);
  Duel duel(seconds);
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<int> threadCounts{1};
  if (cores > 1)
    threadCounts.push_back(2);
  for (int threads : threadCounts) {
    if (blas)
      for (int size : {512, 1024, 2048})
        compareMatmul(blas, duel, size, threads);
    compareRows(duel, threads);
    compareAttention(duel, threads);
  }
  return 0;
}
