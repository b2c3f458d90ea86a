// Multiply.cpp: the inner loops of f32 matrix products, compiled for the vector units the machine has.
//
// All variants compute the same: sums run over k in order and nothing fuses, so wider vectors change only the time.
#include "interp/Dot.h"

namespace nereid::interp {

// Four rows of c share each row of b; a row of c stays in the first-level cache while k runs.
[[gnu::always_inline]] static inline void multiplyBody(float *c, const float *a, const float *b, size_t m, size_t n,
                                                       size_t k) {
  size_t i = 0;
  for (; i + 4 <= m; i += 4) {
    float *c0 = c + i * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
    const float *a0 = a + i * k, *a1 = a0 + k, *a2 = a1 + k, *a3 = a2 + k;
    for (size_t p = 0; p < k; ++p) {
      const float *row = b + p * n;
      float x0 = a0[p], x1 = a1[p], x2 = a2[p], x3 = a3[p];
#pragma clang loop vectorize(assume_safety)
      for (size_t j = 0; j < n; ++j) {
        c0[j] += x0 * row[j];
        c1[j] += x1 * row[j];
        c2[j] += x2 * row[j];
        c3[j] += x3 * row[j];
      }
    }
  }
  for (; i < m; ++i)
    for (size_t p = 0; p < k; ++p) {
      float x = a[i * k + p];
#pragma clang loop vectorize(assume_safety)
      for (size_t j = 0; j < n; ++j)
        c[i * n + j] += x * b[p * n + j];
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] static void multiplyAvx2(float *c, const float *a, const float *b, size_t m, size_t n,
                                                 size_t k) {
  multiplyBody(c, a, b, m, n, k);
}
[[gnu::target("avx512f,avx512vl,prefer-256-bit")]] static void multiplyAvx512(float *c, const float *a, const float *b,
                                                                              size_t m, size_t n, size_t k) {
  multiplyBody(c, a, b, m, n, k);
}
#endif

static void multiplyPlain(float *c, const float *a, const float *b, size_t m, size_t n, size_t k) {
  multiplyBody(c, a, b, m, n, k);
}

void multiply(float *c, const float *a, const float *b, size_t m, size_t n, size_t k) {
  static const auto kBest = [] {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
      return multiplyAvx512;
    if (__builtin_cpu_supports("avx2"))
      return multiplyAvx2;
#endif
    return multiplyPlain;
  }();
  kBest(c, a, b, m, n, k);
}

} // namespace nereid::interp
