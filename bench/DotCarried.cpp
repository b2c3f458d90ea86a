// DotCarried.cpp: checks and times products that dot-objects compiled, with the run-time library alone: for a machine
// with AMX that has no LLVM. What the CPU lacks is left out. Exits 1 if a result is wrong.
#include "products.h"

#include "runtime/cpu/Features.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

enum Type { F32, BF16, I8 };
using Function = void (*)(const void *lhs, const void *rhs, void *acc, void *scratch);

struct Product {
  Function run;
  std::string target, features;
  int64_t m, n, k;
  Type type;
  bool isRhsTransposed;
  size_t scratchBytes;
};
static const Product kProducts[] = {
#include "products.inc"
};

static size_t bytesOf(Type type) { return type == F32 ? 4 : type == BF16 ? 2 : 1; }

static std::byte *allocate(size_t bytes) {
  return static_cast<std::byte *>(std::aligned_alloc(64, (bytes + 63) / 64 * 64 + 64));
}

// A random matrix, and the numbers that it holds.
static std::byte *makeMatrix(Type type, size_t count, std::mt19937 &random, std::vector<double> &numbers) {
  std::byte *data = allocate(count * bytesOf(type));
  for (size_t i = 0; i < count; ++i) {
    float value = std::normal_distribution<float>()(random);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if (type == I8)
      value = int8_t(bits), bits = uint8_t(bits);
    else if (type == BF16)
      bits >>= 16;
    std::memcpy(data + i * bytesOf(type), &bits, bytesOf(type));
    if (type == BF16) {
      bits <<= 16;
      std::memcpy(&value, &bits, 4);
    }
    numbers.push_back(value);
  }
  return data;
}

// The largest error as a part of what rounding k times explains; integers must be equal.
static double errorOf(const Product &p, const std::vector<double> &a, const std::vector<double> &b, const void *acc) {
  double worst = 0;
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) {
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < p.k; ++k) {
        double product = a[i * p.k + k] * (p.isRhsTransposed ? b[j * p.k + k] : b[k * p.n + j]);
        sum += product, magnitude += std::abs(product);
      }
      if (p.type == I8)
        worst = std::max(worst, static_cast<const int32_t *>(acc)[i * p.n + j] == sum ? 0. : 1e9);
      else
        worst = std::max(worst, std::abs(static_cast<const float *>(acc)[i * p.n + j] - sum) /
                                    ((p.k + 2) * 0x1p-24 * magnitude));
    }
  return worst;
}

static double bestSeconds(const Product &p, const void *lhs, const void *rhs, void *acc, void *scratch) {
  double best = 1e9;
  int calls = std::max<int64_t>(1, 30000000 / (p.m * p.n * p.k));
  for (int round = 0; round < 50; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      p.run(lhs, rhs, acc, scratch);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls);
  }
  return best;
}

int main() {
  int failures = 0;
  for (const Product &p : kProducts) {
    if (!nereid::cpu::missingFeature(p.features).empty())
      continue;
    std::mt19937 random(1);
    std::vector<double> a, b;
    std::byte *lhs = makeMatrix(p.type, p.m * p.k, random, a), *rhs = makeMatrix(p.type, p.k * p.n, random, b);
    std::byte *acc = allocate(p.m * p.n * 4), *scratch = allocate(p.scratchBytes);
    std::memset(acc, 0, p.m * p.n * 4);
    p.run(lhs, rhs, acc, scratch);
    double error = errorOf(p, a, b, acc);
    failures += !(error <= 1);
    double seconds = bestSeconds(p, lhs, rhs, acc, scratch);
    std::printf("%-17s %3ld x %3ld x %3ld %-4s rhs %-10s: %s (%.3f of the bound), %8.2f us %8.1f GFLOP/s\n",
                p.target.c_str(), long(p.m), long(p.n), long(p.k),
                p.type == F32    ? "f32"
                : p.type == BF16 ? "bf16"
                                 : "i8",
                p.isRhsTransposed ? "transposed" : "row-major", error <= 1 ? "right" : "WRONG", error, seconds * 1e6,
                2. * p.m * p.n * p.k / seconds * 1e-9);
    std::free(lhs), std::free(rhs), std::free(acc), std::free(scratch);
  }
  return failures != 0;
}
