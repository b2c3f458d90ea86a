// AttentionTest.cpp: the wrappers of flash_attention and unfused_attention against plain loops.
#include "nereid/kernels/flash_attention.hpp"
#include "nereid/kernels/unfused_attention.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kBatch = 2, kHeads = 4, kHeadsK = 2, kLength = 45, kDim = 16;

// Softmax of the scores of one query, and the products with it; all in double precision.
struct Plain {
  std::span<float> q, k, v;
  bool causal;

  int64_t rowK(int64_t query, int64_t key) const { // where the row of a key starts
    int64_t batch = query / (kHeads * kLength), head = query / kLength % kHeads;
    return ((batch * kHeadsK + head / (kHeads / kHeadsK)) * kLength + key) * kDim;
  }
  static double dot(const float *a, const float *b) {
    double total = 0;
    for (int64_t d = 0; d < kDim; ++d)
      total += double(a[d]) * b[d];
    return total;
  }
  std::vector<double> weights(int64_t query) const { // of all keys, for the query number `query` of all
    std::vector<double> result(kLength);
    double total = 0;
    for (int64_t key = 0; key < kLength; ++key) {
      bool sees = !causal || key <= query % kLength;
      result[key] = sees ? std::exp(dot(&q[query * kDim], &k[rowK(query, key)]) / std::sqrt(double(kDim))) : 0;
      total += result[key];
    }
    for (double &weight : result)
      weight /= total;
    return result;
  }
};

static Tensor heads(int64_t count, unsigned seed) { return random({kBatch, count, kLength, kDim}, seed); }

// The gradients by plain loops over all pairs of queries and keys.
struct Gradients {
  std::vector<double> q, k, v;
  Gradients(const Plain &plain, std::span<float> gradOut) : q(plain.q.size()), k(plain.k.size()), v(plain.v.size()) {
    for (int64_t query = 0; query < kBatch * kHeads * kLength; ++query) {
      std::vector<double> weights = plain.weights(query), slopes(kLength);
      double mean = 0;
      for (int64_t key = 0; key < kLength; ++key) {
        slopes[key] = Plain::dot(&gradOut[query * kDim], &plain.v[plain.rowK(query, key)]);
        mean += weights[key] * slopes[key];
      }
      for (int64_t key = 0; key < kLength; ++key) {
        double score = weights[key] * (slopes[key] - mean) / std::sqrt(double(kDim));
        for (int64_t d = 0; d < kDim; ++d) {
          int64_t row = plain.rowK(query, key) + d;
          q[query * kDim + d] += score * plain.k[row];
          k[row] += score * plain.q[query * kDim + d];
          v[row] += weights[key] * gradOut[query * kDim + d];
        }
      }
    }
  }
};

class Attention : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(FullAndCausal, Attention, testing::Bool());

TEST_P(Attention, ComputesForwardAndBackward) {
  Tensor q = heads(kHeads, 1), k = heads(kHeadsK, 2), v = heads(kHeadsK, 3), out = zeros(q.shape());
  Tensor lse = zeros({kBatch, kHeads, kLength}), gradOut = heads(kHeads, 4);
  Tensor gradQ = zeros(q.shape()), gradK = zeros(k.shape()), gradV = zeros(v.shape());
  kernels::AttentionOptions attention{.causal = GetParam(), .blockM = 32, .blockN = 16};
  expectDone(kernels::attention(out, lse, q, k, v, attention, options()));
  expectDone(kernels::attentionBackward(gradQ, gradK, gradV, gradOut, out, lse, q, k, v, attention, options()));
  Plain plain{q.values<float>(), k.values<float>(), v.values<float>(), GetParam()};
  expectValues(out, [&](int64_t i) {
    double total = 0;
    std::vector<double> weights = plain.weights(i / kDim);
    for (int64_t key = 0; key < kLength; ++key)
      total += weights[key] * plain.v[plain.rowK(i / kDim, key) + i % kDim];
    return total;
  });
  Gradients expected(plain, gradOut.values<float>());
  expectValues(gradQ, [&](int64_t i) { return expected.q[i]; });
  expectValues(gradK, [&](int64_t i) { return expected.k[i]; });
  expectValues(gradV, [&](int64_t i) { return expected.v[i]; });
}

// The halves nearest to the values of a tensor of floats, which become them.
static Tensor halves(const Tensor &tensor) {
  Tensor result = zeros(tensor.shape(), DType::Fp16);
  auto *half = reinterpret_cast<_Float16 *>(result.data());
  for (float &value : tensor.values<float>())
    value = *half++ = static_cast<_Float16>(value);
  return result;
}

static void expectHalves(const Tensor &actual, const Tensor &expected, const char *what) {
  auto *half = reinterpret_cast<const _Float16 *>(actual.data());
  auto values = expected.values<float>();
  float largest = *std::max_element(values.begin(), values.end());
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(static_cast<float>(half[i]), values[i], 1e-2 * largest) << what << " at element " << i;
}

// Heads of 64 and 128 halves have tiles of their own on a GPU, those of 160 two of them.
TEST_P(Attention, IsTheSameOfHalves) {
  for (int64_t dim : {64, 128, 160}) {
    Shape shape{1, 2, 150, dim};
    Tensor q = random(shape, 1), k = random(shape, 2), v = random(shape, 3), gradOut = random(shape, 4);
    Tensor halfQ = halves(q), halfK = halves(k), halfV = halves(v), halfGradOut = halves(gradOut);
    kernels::AttentionOptions attention{.causal = GetParam()};
    Tensor lse = zeros({1, 2, 150});
    std::vector<Tensor> results, half;
    for (int i = 0; i < 4; ++i) {
      results.push_back(zeros(shape));
      half.push_back(zeros(shape, DType::Fp16));
    }
    expectDone(kernels::attention(results[0], lse, q, k, v, attention, options()));
    expectDone(kernels::attentionBackward(results[1], results[2], results[3], gradOut, results[0], lse, q, k, v,
                                          attention, options()));
    expectDone(kernels::attention(half[0], lse, halfQ, halfK, halfV, attention, options()));
    expectDone(kernels::attentionBackward(half[1], half[2], half[3], halfGradOut, half[0], lse, halfQ, halfK, halfV,
                                          attention, options()));
    const char *names[] = {"out", "gradQ", "gradK", "gradV"};
    for (int i = 0; i < 4; ++i)
      expectHalves(half[i], results[i], names[i]);
  }
}

// As if the table had a row for it: gradients of scores are kept between the kernels.
static void keepScores(int64_t dim, bool isCausal) {
  std::string facts =
      "bytes=2 dim=" + std::to_string(dim) + " causal=" + (isCausal ? "1" : "0") + " length=256 whole=1";
  std::string key = std::string(kernels::detail::deviceName(options())) + "|attention_backward_scores|" + facts;
  kernels::detail::KnownConfigurations::shared().found[key] = {
      kernels::detail::Configuration("BLOCK_M=64 BLOCK_N=64 num_warps=4 num_stages=2 TMA=1"), true};
}

TEST_P(Attention, IsTheSameOfKeptScores) {
  constexpr int64_t kWide = 32; // no other test has heads of so many
  keepScores(kWide, GetParam());
  Shape shape{2, 3, 150, kWide};
  Tensor q = random(shape, 1), k = random(shape, 2), v = random(shape, 3), gradOut = random(shape, 4);
  Tensor halfQ = halves(q), halfK = halves(k), halfV = halves(v), halfGradOut = halves(gradOut),
         lse = zeros({2, 3, 150});
  kernels::AttentionOptions attention{.causal = GetParam()};
  std::vector<Tensor> results, half;
  for (int i = 0; i < 4; ++i) {
    results.push_back(zeros(shape));
    half.push_back(zeros(shape, DType::Fp16));
  }
  expectDone(kernels::attention(results[0], lse, q, k, v, attention, options()));
  expectDone(kernels::attentionBackward(results[1], results[2], results[3], gradOut, results[0], lse, q, k, v,
                                        attention, options()));
  expectDone(kernels::attention(half[0], lse, halfQ, halfK, halfV, attention, options()));
  expectDone(kernels::attentionBackward(half[1], half[2], half[3], halfGradOut, half[0], lse, halfQ, halfK, halfV,
                                        attention, options()));
  const char *names[] = {"out", "gradQ", "gradK", "gradV"};
  for (int i = 0; i < 4; ++i)
    expectHalves(half[i], results[i], names[i]);
}

TEST(AttentionErrors, RefusesWhatDoesNotFit) {
  Tensor q = heads(kHeads, 1), k = heads(3, 2), lse = zeros({kBatch, kHeads, kLength});
  expectError(kernels::attention(zeros(q.shape()), lse, q, k, k, {}, options()),
              "attention: `q` has 4 heads, which is no multiple of the 3 heads of `k`");
  Tensor odd = zeros({1, 1, 5, 8});
  expectError(kernels::attention(odd, zeros({1, 1, 5}), odd, odd, odd, {}, options()),
              "attention: a head has 8 elements, but 16 to 256, or a power of two above, is expected");
}

TEST(UnfusedAttention, HasItsWeightsInMemory) {
  constexpr int64_t kHeads = 2, kQueries = 5, kKeys = 7, kDim = 6;
  Tensor q = random({1, kHeads, kQueries, kDim}, 1), k = random({1, kHeads, kKeys, kDim}, 2), v = random(k.shape(), 3);
  Tensor out = zeros(q.shape()), weights = zeros({1, kHeads, kQueries, kKeys}), gradient = random(q.shape(), 4);
  Tensor gradQ = zeros(q.shape()), gradK = zeros(k.shape()), gradV = zeros(v.shape());
  auto attend = [&] {
    return kernels::unfusedAttention(out, weights, q, k, v, {.causal = true, .scale = 0.5}, options());
  };
  expectDone(attend());
  expectDone(kernels::unfusedAttentionBackward(gradQ, gradK, gradV, gradient, weights, q, k, v,
                                               {.causal = true, .scale = 0.5}, options()));
  for (int64_t row = 0; row < kHeads * kQueries; ++row) {
    int64_t head = row / kQueries, seen = row % kQueries + 1 + kKeys - kQueries;
    std::vector<double> weight(kKeys);
    double total = 0;
    for (int64_t j = 0; j < seen; ++j) {
      double score = 0;
      for (int64_t d = 0; d < kDim; ++d)
        score += double(q.values<float>()[row * kDim + d]) * k.values<float>()[(head * kKeys + j) * kDim + d];
      total += weight[j] = std::exp(0.5 * score);
    }
    for (int64_t j = 0; j < kKeys; ++j)
      ASSERT_NEAR(weights.values<float>()[row * kKeys + j], weight[j] / total, 2e-5);
    for (int64_t d = 0; d < kDim; ++d) {
      double expected = 0;
      for (int64_t j = 0; j < kKeys; ++j)
        expected += weight[j] / total * v.values<float>()[(head * kKeys + j) * kDim + d];
      ASSERT_NEAR(out.values<float>()[row * kDim + d], expected, 2e-5);
    }
  }
  // The gradients, against differences of the sum of all results times the gradient.
  for (auto [input, found] : {std::pair{&q, &gradQ}, {&k, &gradK}, {&v, &gradV}})
    for (int64_t i : {int64_t(0), input->count() / 2, input->count() - 1}) {
      double sums[2];
      float before = input->values<float>()[i];
      for (int side : {0, 1}) {
        input->values<float>()[i] = before + (side ? 0.02F : -0.02F);
        expectDone(attend());
        sums[side] = 0;
        for (int64_t j = 0; j < out.count(); ++j)
          sums[side] += double(out.values<float>()[j]) * gradient.values<float>()[j];
      }
      input->values<float>()[i] = before;
      EXPECT_NEAR(found->values<float>()[i], (sums[1] - sums[0]) / 0.04, 2e-3) << "at element " << i;
    }
  expectError(kernels::unfusedAttention(out, zeros({1, kHeads, kQueries, 3}), q, k, v, {}, options()),
              "unfusedAttention: `weights` has shape [1, 2, 5, 3], but [1, 2, 5, 7] is expected");
}
