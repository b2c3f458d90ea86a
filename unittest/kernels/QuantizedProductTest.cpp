// QuantizedProductTest.cpp: the wrappers of fp8_matmul, fp8_attention and quantized_grouped_gemm against plain loops over decoded values.
#include "nereid/kernels/fp8_attention.hpp"
#include "nereid/kernels/fp8_matmul.hpp"
#include "nereid/kernels/quantized_grouped_gemm.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

// E4M3 without its NaNs.
static double fp8Value(uint8_t code) {
  int exponent = code >> 3 & 15, mantissa = code & 7;
  double magnitude = exponent ? std::ldexp(8 + mantissa, exponent - 10) : std::ldexp(mantissa, -9);
  return code & 128 ? -magnitude : magnitude;
}

TEST(Fp8Matmul, ScalesBlocks) {
  constexpr int64_t kM = 37, kN = 150, kK = 200;
  Tensor a = randomIntegers<uint8_t>({kM, kK}, 0, 120, 1), b = randomIntegers<uint8_t>({kN, kK}, 128, 240, 2);
  Tensor c = zeros({kM, kN});
  for (int64_t rowsA : {1, 128})
    for (int64_t rowsB : {1, 128}) {
      Shape shapeA{(kM + rowsA - 1) / rowsA, 2}, shapeB{(kN + rowsB - 1) / rowsB, 2};
      Tensor aScale = random(shapeA, 3), bScale = random(shapeB, 4);
      expectDone(kernels::fp8Matmul(c, a, b, aScale, bScale, {.rowsA = rowsA, .rowsB = rowsB}, options()));
      expectValues(
          c,
          [&](int64_t i) {
            int64_t m = i / kN, n = i % kN;
            double total = 0;
            for (int64_t k = 0; k < kK; ++k)
              total += fp8Value(a.values<uint8_t>()[m * kK + k]) * fp8Value(b.values<uint8_t>()[n * kK + k]) *
                       aScale.values<float>()[m / rowsA * 2 + k / 128] *
                       bScale.values<float>()[n / rowsB * 2 + k / 128];
            return total;
          },
          1e-3);
    }
  expectError(kernels::fp8Matmul(c, a, b, zeros({kM, 1}), zeros({2, 2}), {}, options()),
              "fp8Matmul: `aScale` has shape [37, 1], but [37, 2] is expected");
  expectError(kernels::fp8Matmul(c, c, c, c, c, {}, options()),
              "fp8Matmul: `a` has type f32, but fp8e4nv, fp8e5 or u8 is expected");
}

TEST(Fp8Attention, WeighsValues) {
  constexpr int64_t kN = 20, kM = 40, kDim = 32;
  Tensor q = randomIntegers<uint8_t>({1, 2, kN, kDim}, 30, 60, 1),
         k = randomIntegers<uint8_t>({1, 1, kM, kDim}, 170, 190, 2);
  Tensor v = randomIntegers<uint8_t>({1, 1, kM, kDim}, 0, 60, 3), scale = random({1, 1}, 4);
  Tensor out = zeros({1, 2, kN, kDim}), transposed = zeros({1, 1, kDim, kM}, DType::UInt8), lse = zeros({1, 2, kN});
  for (int64_t i = 0; i < kM * kDim; ++i)
    transposed.values<uint8_t>()[i % kDim * kM + i / kDim] = v.values<uint8_t>()[i];
  Tensor either[] = {v,
                     Tensor::borrow(transposed.data(), DType::UInt8, {1, 1, kM, kDim}, {kM * kDim, kM * kDim, 1, kM})};
  for (const Tensor &values : either) {
    expectDone(kernels::fp8Attention(out, lse, q, k, values, {.causal = true, .vScale = scale}, options()));
    for (int64_t row = 0; row < 2 * kN; ++row) {
      std::vector<double> weights;
      double sum = 0;
      for (int64_t key = 0; key <= row % kN + kM - kN; ++key) {
        double score = 0;
        for (int64_t d = 0; d < kDim; ++d)
          score += fp8Value(q.values<uint8_t>()[row * kDim + d]) * fp8Value(k.values<uint8_t>()[key * kDim + d]);
        weights.push_back(std::exp(score / std::sqrt(32.0)));
        sum += weights.back();
      }
      EXPECT_NEAR(lse.values<float>()[row], std::log(sum), 1e-3);
      for (int64_t d = 0; d < kDim; ++d) {
        double total = 0; // all values are positive
        for (size_t key = 0; key < weights.size(); ++key)
          total += weights[key] / sum * fp8Value(v.values<uint8_t>()[key * kDim + d]);
        ASSERT_NEAR(out.values<float>()[row * kDim + d] / scale.values<float>()[0], total, 0.04 * total);
      }
    }
  }
  expectError(kernels::fp8Attention(out, lse, out, k, v, {}, options()),
              "fp8Attention: `q` has type f32, but fp8e4nv, fp8e5 or u8 is expected");
}

static Tensor ends(std::initializer_list<int32_t> values) {
  Tensor result = zeros({static_cast<int64_t>(values.size())}, DType::Int32);
  std::copy(values.begin(), values.end(), result.values<int32_t>().begin());
  return result;
}

// Compares rows with products with the weights of their experts, of which `weight` knows every element.
static void expectRagged(const Tensor &c, const Tensor &a, std::initializer_list<int32_t> ends,
                         const std::function<double(int64_t expert, int64_t k, int64_t n)> &weight) {
  int64_t n = c.shape()[1], k = a.shape()[1];
  expectValues(
      c,
      [&](int64_t i) {
        int64_t expert = std::upper_bound(ends.begin(), ends.end(), i / n) - ends.begin();
        double total = 0;
        for (int64_t j = 0; j < k; ++j)
          total += a.values<float>()[i / n * k + j] * weight(expert, j, i % n);
        return total;
      },
      1e-4);
}

TEST(RaggedInt4Gemm, TakesTheWeightsOfEachExpert) {
  constexpr int64_t kN = 20, kK = 64, kGroup = 32;
  Tensor a = random({12, kK}, 1), q = randomIntegers<uint8_t>({3, kK / 2, kN}, 0, 255, 2), c = zeros({12, kN});
  Tensor scale = random({3, kK / kGroup, kN}, 3);
  expectDone(kernels::raggedInt4Gemm(c, a, q, scale, ends({5, 5, 12}), {}, "ieee", options()));
  expectRagged(c, a, {5, 5, 12}, [&](int64_t expert, int64_t k, int64_t n) {
    int64_t group = k / kGroup, inside = k % kGroup, byte = group * kGroup / 2 + inside % (kGroup / 2);
    uint8_t both = q.values<uint8_t>()[(expert * kK / 2 + byte) * kN + n];
    int code = inside < kGroup / 2 ? both & 15 : both >> 4;
    return (code - 8.0) * scale.values<float>()[(expert * kK / kGroup + group) * kN + n];
  });
  expectError(kernels::raggedInt4Gemm(c, a, q, zeros({3, 4, kN}), ends({5, 5, 12}), {}, "ieee", options()),
              "raggedInt4Gemm: a group has 16 rows, but a power of two from 32 to 256 that divides 64 is expected");
}

TEST(RaggedMxfp4Gemm, TakesTheWeightsOfEachExpert) {
  constexpr int64_t kN = 20, kK = 96;
  const double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  Tensor a = random({12, kK}, 1), q = randomIntegers<uint8_t>({3, kN, kK / 2}, 0, 255, 2), c = zeros({12, kN});
  Tensor scale = randomIntegers<uint8_t>({3, kN, kK / 32}, 124, 128, 3), bias = zeros({3, kN});
  expectDone(kernels::raggedMxfp4Gemm(c, a, q, scale, ends({0, 9, 12}), bias, "ieee", options()));
  expectRagged(c, a, {0, 9, 12}, [&](int64_t expert, int64_t k, int64_t n) {
    uint8_t both = q.values<uint8_t>()[(expert * kN + n) * kK / 2 + k / 2];
    int code = k % 2 ? both >> 4 : both & 15;
    double value = std::ldexp(kValues[code & 7], scale.values<uint8_t>()[(expert * kN + n) * kK / 32 + k / 32] - 127);
    return code & 8 ? -value : value;
  });
  expectError(kernels::raggedMxfp4Gemm(c, zeros({12, 40}), q, scale, ends({0, 9, 12}), {}, "ieee", options()),
              "raggedMxfp4Gemm: `a` has 40 columns, but a multiple of 32 is expected");
}
