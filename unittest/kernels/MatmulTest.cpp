// MatmulTest.cpp: the wrappers of the matmul family, of lora and conv2d against plain loops.
#include "nereid/kernels/matmul.hpp"
#include "nereid/kernels/conv2d.hpp"
#include "nereid/kernels/grouped_gemm.hpp"
#include "nereid/kernels/int8_matmul.hpp"
#include "nereid/kernels/lora.hpp"
#include "nereid/kernels/persistent_matmul.hpp"
#include "nereid/kernels/quantized_matmul.hpp"
#include "nereid/kernels/split_k_matmul.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kM = 37, kN = 50, kK = 150;

// Element i of the contiguous product of two contiguous matrices of floats.
static std::function<double(int64_t)> product(const Tensor &a, const Tensor &b) {
  auto left = a.values<float>(), right = b.values<float>();
  int64_t n = b.shape()[1], k = b.shape()[0];
  return [=](int64_t i) {
    double total = 0;
    for (int64_t j = 0; j < k; ++j)
      total += double(left[i / n * k + j]) * right[j * n + i % n];
    return total;
  };
}

TEST(Matmul, MultipliesWithBiasAndActivation) {
  Tensor a = random({kM, kK}, 1), b = random({kK, kN}, 2), bias = random({kN}, 3), c = zeros({kM, kN});
  auto expected = product(a, b);
  expectDone(kernels::matmul(c, a, b, {}, options()));
  expectValues(c, expected);
  expectDone(kernels::matmul(c, a, b, {.bias = bias, .activation = "relu"}, options()));
  expectValues(c, [&](int64_t i) { return std::max(0.0, expected(i) + bias.values<float>()[i % kN]); });
  Tensor transposed = zeros({kN, kM}); // c.T = b.T a.T
  expectDone(kernels::matmul(transposed, b.transposed(), a.transposed(), {.blocks = {{32, 16, 64}}}, options()));
  expectValues(transposed, [&](int64_t i) { return expected(i % kM * kN + i / kM); });
}

TEST(Matmul, RefusesWhatDoesNotFit) {
  expectError(kernels::matmul(zeros({2, 2}), zeros({2, 3}), zeros({4, 2}), {}, options()),
              "matmul: `a` has shape [2, 3] and `b` has [4, 2]: the inner extents differ");
  expectError(kernels::matmul(zeros({2, 3}), zeros({2, 3}), zeros({3, 2}), {}, options()),
              "matmul: `c` has shape [2, 3], but [2, 2] is expected");
  expectError(kernels::matmul(zeros({2, 2}), zeros({2, 3}, DType::Int8), zeros({3, 2}), {}, options()),
              "matmul: `a` has type i8, but f32, f16 or bf16 is expected");
}

TEST(SplitKMatmul, Multiplies) {
  Tensor a = random({kM, 3000}, 1), b = random({3000, kN}, 2), c = zeros({kM, kN});
  for (int64_t splits : {0, 1, 7}) {
    expectDone(kernels::splitKMatmul(c, a, b, splits, "ieee", options()));
    expectValues(c, product(a, b), 1e-4);
  }
}

TEST(PersistentMatmul, Multiplies) {
  Tensor a = random({kM, 152}, 1), b = random({152, 48}, 2), transposed = zeros({48, 152}), c = zeros({kM, 48});
  for (int64_t i = 0; i < b.count(); ++i)
    transposed.values<float>()[i % 48 * 152 + i / 48] = b.values<float>()[i];
  expectDone(kernels::persistentMatmul(c, a, transposed, 0, "ieee", options()));
  expectValues(c, product(a, b));
  expectError(kernels::persistentMatmul(zeros({2, 4}), zeros({2, 3}), zeros({4, 3}), 0, "ieee", options()),
              "persistentMatmul: a row of `a` has 12 bytes, but a multiple of 16 is expected");
}

TEST(GroupedGemm, MultipliesEachGroup) {
  std::vector<Tensor> a, b, c;
  for (int64_t g = 1; g <= 3; ++g) {
    a.push_back(random({20 * g, 30 + g}, g));
    b.push_back(random({30 + g, 15 * g}, g + 10));
    c.push_back(zeros({20 * g, 15 * g}));
  }
  expectDone(kernels::groupedGemm(c, a, b, "ieee", options()));
  for (size_t g = 0; g < c.size(); ++g)
    expectValues(c[g], product(a[g], b[g]));
  expectDone(kernels::groupedGemm({}, {}, {}, "ieee", options()));
}

TEST(GroupedGemm, MultipliesRunsOfRows) {
  Tensor a = random({40, 33}, 1), b = random({3, 33, 20}, 2), c = zeros({40, 20}), ends = zeros({3}, DType::Int32);
  std::ranges::copy(std::vector<int32_t>{17, 17, 40}, ends.values<int32_t>().begin());
  expectDone(kernels::raggedGemm(c, a, b, ends, "ieee", options()));
  auto part = [&](int64_t g) { return *Tensor::from<float>(b.values<float>().subspan(g * 660, 660), {33, 20}); };
  Tensor first = part(0), last = part(2);
  expectValues(c, [&](int64_t i) { return product(a, i < 17 * 20 ? first : last)(i); });
  ends.values<int32_t>()[1] = 50;
  expectError(kernels::raggedGemm(c, a, b, ends, "ieee", options()),
              "raggedGemm: `ends` holds 50 after 17, but ascending numbers up to 40 are expected");
}

TEST(Int8Matmul, IsExactAndScales) {
  Tensor a = randomIntegers<int8_t>({kM, kK}, -128, 127, 1), b = randomIntegers<int8_t>({kK, kN}, -128, 127, 2);
  Tensor exact = zeros({kM, kN}, DType::Int32), scaled = zeros({kM, kN}), aScale = random({kM}, 3),
         bScale = random({kN}, 4);
  expectDone(kernels::int8Matmul(exact, a, b, {}, options()));
  expectDone(kernels::int8Matmul(scaled, a, b, kernels::Int8Scales{aScale, bScale}, options()));
  auto expected = [&](int64_t i) {
    int32_t total = 0;
    for (int64_t k = 0; k < kK; ++k)
      total += a.values<int8_t>()[i / kN * kK + k] * b.values<int8_t>()[k * kN + i % kN];
    return total;
  };
  for (int64_t i = 0; i < exact.count(); ++i)
    ASSERT_EQ(exact.values<int32_t>()[i], expected(i)) << i;
  expectValues(scaled, [&](int64_t i) {
    return double(expected(i)) * aScale.values<float>()[i / kN] * bScale.values<float>()[i % kN];
  });
}

TEST(QuantizedMatmul, DequantizesInt8) {
  Tensor a = random({kM, 128}, 1), q = randomIntegers<int8_t>({128, kN}, -128, 127), scale = random({2, kN}, 2);
  Tensor w = zeros({128, kN}), c = zeros({kM, kN});
  for (int64_t i = 0; i < w.count(); ++i)
    w.values<float>()[i] = q.values<int8_t>()[i] * scale.values<float>()[i / kN / 64 * kN + i % kN];
  expectDone(kernels::int8WeightMatmul(c, a, q, scale, "ieee", options()));
  expectValues(c, product(a, w), 1e-3);
}

TEST(QuantizedMatmul, DequantizesInt4) {
  Tensor a = random({kM, 128}, 1), q = randomIntegers<uint8_t>({128, kN}, 0, 15), scale = random({4, kN}, 2);
  Tensor zero = random({4, kN}, 3), w = zeros({128, kN}), c = zeros({kM, kN});
  auto packed = kernels::packInt4(q, 32);
  ASSERT_TRUE(packed) << packed.error().message;
  for (bool hasZero : {false, true}) {
    for (int64_t i = 0; i < w.count(); ++i) {
      int64_t place = i / kN / 32 * kN + i % kN;
      float middle = hasZero ? zero.values<float>()[place] : 8.0f;
      w.values<float>()[i] = (q.values<uint8_t>()[i] - middle) * scale.values<float>()[place];
    }
    expectDone(kernels::int4WeightMatmul(c, a, *packed, scale, hasZero ? std::optional(zero) : std::nullopt, "ieee",
                                         options()));
    expectValues(c, product(a, w), 1e-4);
  }
}

// Blocks of a configuration, cut to the product; warps and stages, unless the caller says otherwise.
TEST(Matmul, PlansFromAConfiguration) {
  using namespace kernels::detail;
  Configuration wide("BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 num_warps=8 num_stages=3");
  auto large = productPlanOf({8192, 8192, 8192}, wide, {});
  EXPECT_EQ(std::tuple(large.blockM, large.blockN, large.blockK), std::tuple(128, 256, 64));
  EXPECT_EQ(std::tuple(large.options.numWarps, large.options.numStages), std::tuple(8, 3));
  auto small = productPlanOf({100, 40, 20}, wide, {.numWarps = 16});
  EXPECT_EQ(std::tuple(small.blockM, small.blockN, small.blockK), std::tuple(128, 64, 32));
  EXPECT_EQ(small.options.numWarps, 16);
  EXPECT_EQ(wide.text(), "BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 num_warps=8 num_stages=3");
  EXPECT_EQ(textOf(productFacts({2000, 2048, 64}, 2, 132)), "bytes=2 large=1 m=1024 n=2048 k=64");
  EXPECT_EQ(textOf(productFacts({2000, 2048, 64}, 2, 300)), "bytes=2 large=0 m=1024 n=2048 k=64");
  EXPECT_EQ(withWarps({.device = Device::cuda()}, 16384).numWarps, 16);
  EXPECT_EQ(withWarps({.device = Device::cpu()}, 16384).numWarps, 0);
}

// The first launch tries all, the answer stays for this machine.
TEST(Matmul, IsTunedOnce) {
  Tensor a = *Tensor::zeros(DType::Fp32, {24, 40}), b = *Tensor::zeros(DType::Fp32, {40, 24}),
         c = *Tensor::zeros(DType::Fp32, {24, 24});
  for (int64_t i = 0; i < a.count(); ++i)
    a.values<float>()[static_cast<size_t>(i)] = static_cast<float>(i % 7),
    b.values<float>()[static_cast<size_t>(i)] = 1;
  LaunchOptions tuned{.device = Device::cpu(), .tune = true};
  for (int round = 0; round < 2; ++round) {
    expectDone(kernels::matmul(c, a, b, {}, tuned));
    expectValues(c, product(a, b), 1e-4);
  }
  Result<std::string> table = kernels::tunedConfigurations();
  ASSERT_TRUE(table);
  EXPECT_NE(table->find("| matmul | gpu=0 bytes=4 large=1 m=16 n=24 k=40 | BLOCK_M="), std::string::npos) << *table;
  char *text = nullptr;
  int32_t isKept = 0;
  ASSERT_EQ(nereid_configuration("cpu", "matmul", "bytes=4 large=1 m=16 n=24 k=40", &text, &isKept), NEREID_OK);
  EXPECT_EQ(isKept, 1);
  EXPECT_EQ(std::string(text).substr(0, 8), "BLOCK_M=");
  nereid_string_free(text);
}

TEST(Lora, GivesEachSegmentItsAdapter) {
  constexpr int64_t kDepth = 40, kColumns = 20;
  Tensor x = random({9, kDepth}, 1), w = random({2, kColumns, kDepth}, 2), y = zeros({9, kColumns});
  Tensor starts = zeros({4}, DType::Int32), adapters = zeros({3}, DType::Int32);
  const int32_t begin[] = {0, 5, 6, 9}, chosen[] = {1, -1, 0};
  std::copy(std::begin(begin), std::end(begin), starts.values<int32_t>().begin());
  std::copy(std::begin(chosen), std::end(chosen), adapters.values<int32_t>().begin());
  for (int times : {1, 2}) { // the second is added to the first
    expectDone(kernels::lora(y, x, w, starts, adapters, 5, {.scale = 0.5, .add = times == 2}, options()));
    expectValues(y, [&](int64_t i) {
      int64_t row = i / kColumns, adapter = row < 5 ? 1 : row < 6 ? -1 : 0;
      double total = 0;
      for (int64_t d = 0; adapter >= 0 && d < kDepth; ++d)
        total += double(x.values<float>()[row * kDepth + d]) *
                 w.values<float>()[(adapter * kColumns + i % kColumns) * kDepth + d];
      return 0.5 * times * total;
    });
  }
  expectError(kernels::lora(y, x, w, adapters, adapters, 5, {}, options()),
              "lora: `starts` has shape [3], but [4] is expected");
}

TEST(Conv2d, IsASumOverTheWeight) {
  Tensor x = random({2, 4, 7, 6}, 1), weight = random({6, 2, 3, 3}, 2), bias = random({6}, 3),
         out = zeros({2, 6, 4, 3});
  expectDone(kernels::conv2d(out, x, weight, bias, {.stride = {2, 2}, .padding = {1, 1}, .groups = 2}, options()));
  expectValues(out, [&](int64_t i) {
    int64_t n = i / 72, o = i / 12 % 6, y = i / 3 % 4, z = i % 3;
    double total = bias.values<float>()[o];
    for (int64_t c = 0; c < 2; ++c)
      for (int64_t h = 0; h < 3; ++h)
        for (int64_t w = 0; w < 3; ++w) {
          int64_t row = 2 * y + h - 1, column = 2 * z + w - 1;
          if (row >= 0 && row < 7 && column >= 0 && column < 6)
            total += double(x.values<float>()[((n * 4 + o / 3 * 2 + c) * 7 + row) * 6 + column]) *
                     weight.values<float>()[((o * 2 + c) * 3 + h) * 3 + w];
        }
    return total;
  });
  // The gradients: every product of the sum leaves its share.
  Tensor gradient = random(out.shape(), 4), gradX = zeros(x.shape()), gradWeight = zeros(weight.shape()),
         gradBias = zeros({6});
  std::vector<double> ofX(x.count()), ofWeight(weight.count()), ofBias(6);
  for (int64_t i = 0; i < out.count(); ++i) {
    int64_t n = i / 72, o = i / 12 % 6;
    ofBias[o] += gradient.values<float>()[i];
    for (int64_t tap = 0; tap < 18; ++tap) {
      int64_t row = 2 * (i / 3 % 4) + tap / 3 % 3 - 1, column = 2 * (i % 3) + tap % 3 - 1;
      int64_t from = ((n * 4 + o / 3 * 2 + tap / 9) * 7 + row) * 6 + column;
      if (row < 0 || row >= 7 || column < 0 || column >= 6)
        continue;
      ofX[from] += double(gradient.values<float>()[i]) * weight.values<float>()[o * 18 + tap];
      ofWeight[o * 18 + tap] += double(gradient.values<float>()[i]) * x.values<float>()[from];
    }
  }
  kernels::Conv2dOptions convolution{.stride = {2, 2}, .padding = {1, 1}, .groups = 2};
  expectDone(kernels::conv2dInputGradient(gradX, gradient, weight, convolution, options()));
  expectDone(kernels::conv2dWeightGradient(gradWeight, gradient, x, convolution, options()));
  expectDone(kernels::conv2dBiasGradient(gradBias, gradient, options()));
  expectValues(gradX, [&](int64_t i) { return ofX[i]; });
  expectValues(gradWeight, [&](int64_t i) { return ofWeight[i]; });
  expectValues(gradBias, [&](int64_t i) { return ofBias[i]; });
  expectError(kernels::conv2dInputGradient(gradX, gradient, weight, {.groups = 2}, options()),
              "conv2dInputGradient: `gradOut` has shape [2, 6, 4, 3], but [2, 6, 5, 4] is expected");
  expectError(kernels::conv2d(out, x, weight, bias, {}, options()),
              "conv2d: `weight` has shape [6, 2, 3, 3], but [6, 4, 3, 3] is expected");
}
