// FlexTest.cpp: the wrappers of flex_attention against plain loops, with rules of the library and of the user.
#include "nereid/kernels/flex_attention.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kFlexHeads = 2, kQueries = 37, kKeys = 45, kFlexDim = 24, kDimV = 20;

static kernels::BlockMask maskOf(int64_t queries, int64_t keys, int64_t block) {
  int64_t rows = (queries + block - 1) / block, columns = (keys + block - 1) / block;
  auto lists = [](int64_t n, int64_t m) { return zeros({1, 1, n, m}, DType::Int32); };
  return {lists(rows, 2), lists(rows, columns), lists(columns, 2), lists(columns, rows), block, block};
}

// Keys of the query's block of eight and all before; scores less a tenth of the distance.
static const char *kRules = R"(

@triton.jit
def near(b, h, q, k, data):
    return k // data[0] <= q // data[0]

@triton.jit
def fading(score, b, h, q, k, data):
    return score - 0.1 * tl.abs(q - k)
)";

TEST(FlexAttention, FollowsRulesOfTheUser) {
  Tensor q = random({1, kFlexHeads, kQueries, kFlexDim}, 1), k = random({1, 1, kKeys, kFlexDim}, 2);
  Tensor v = random({1, 1, kKeys, kDimV}, 3), gradOut = random({1, kFlexHeads, kQueries, kDimV}, 4);
  Tensor out = zeros(gradOut.shape()), lse = zeros({1, kFlexHeads, kQueries}), sinks = random({kFlexHeads}, 5);
  kernels::FlexOptions flex{.scoreMod = "fading", .maskMod = "near", .maskData = {8}, .source = kRules, .sinks = sinks};
  flex.mask = maskOf(kQueries, kKeys, 16);
  kernels::FlexGradients gradients{zeros(q.shape()), zeros(k.shape()), zeros(v.shape())};
  gradients.bias = zeros({1, kFlexHeads, kQueries, kKeys}), gradients.sinks = zeros({kFlexHeads});
  expectDone(kernels::flexBlockMask(*flex.mask, kQueries, kKeys, flex, options()));
  expectDone(kernels::flexAttention(out, lse, q, k, v, flex, options()));
  expectDone(kernels::flexAttentionBackward(gradients, gradOut, out, lse, q, k, v, flex, options()));

  auto qs = q.values<float>(), ks = k.values<float>(), vs = v.values<float>(), gs = gradOut.values<float>();
  auto dot = [](const float *a, const float *b, int64_t n) {
    double total = 0;
    for (int64_t i = 0; i < n; ++i)
      total += double(a[i]) * b[i];
    return total;
  };
  double scale = 1 / std::sqrt(double(kFlexDim));
  std::vector<double> outs(out.count()), gradQ(q.count()), gradK(k.count()), gradV(v.count()), pairs,
      gradSinks(kFlexHeads);
  for (int64_t row = 0; row < kFlexHeads * kQueries; ++row) {
    int64_t head = row / kQueries, query = row % kQueries;
    std::vector<double> p(kKeys), slopes(kKeys);
    double sink = std::exp(double(sinks.values<float>()[head])), total = sink, mean = 0;
    for (int64_t key = 0; key < kKeys; ++key) {
      bool sees = key / 8 <= query / 8;
      double score = dot(&qs[row * kFlexDim], &ks[key * kFlexDim], kFlexDim) * scale - 0.1 * std::abs(query - key);
      total += p[key] = sees ? std::exp(score) : 0;
    }
    for (int64_t key = 0; key < kKeys; ++key) {
      p[key] /= total;
      slopes[key] = dot(&gs[row * kDimV], &vs[key * kDimV], kDimV);
      mean += p[key] * slopes[key];
      for (int64_t d = 0; d < kDimV; ++d) {
        outs[row * kDimV + d] += p[key] * vs[key * kDimV + d];
        gradV[key * kDimV + d] += p[key] * gs[row * kDimV + d];
      }
    }
    gradSinks[head] -= sink / total * mean;
    for (int64_t key = 0; key < kKeys; ++key) {
      pairs.push_back(p[key] * (slopes[key] - mean));
      for (int64_t d = 0; d < kFlexDim; ++d) {
        gradQ[row * kFlexDim + d] += pairs.back() * scale * ks[key * kFlexDim + d];
        gradK[key * kFlexDim + d] += pairs.back() * scale * qs[row * kFlexDim + d];
      }
    }
  }
  expectValues(out, [&](int64_t i) { return outs[i]; });
  expectValues(gradients.q, [&](int64_t i) { return gradQ[i]; });
  expectValues(gradients.k, [&](int64_t i) { return gradK[i]; });
  expectValues(gradients.v, [&](int64_t i) { return gradV[i]; });
  expectValues(*gradients.bias, [&](int64_t i) { return pairs[i]; });
  expectValues(*gradients.sinks, [&](int64_t i) { return gradSinks[i]; });
}

TEST(FlexAttention, RefusesWhatDoesNotFit) {
  Tensor q = zeros({1, 2, 20, 16}), lse = zeros({1, 2, 20});
  kernels::FlexOptions flex{.maskMod = "causal"};
  flex.mask = maskOf(20, 40, 16);
  expectError(kernels::flexAttention(q, lse, q, q, q, flex, options()),
              "flexAttention: `blocksQ` has shape [1, 1, 2, 3], but [1, 1, 2, 2] is expected");
  expectError(kernels::flexBlockMask(maskOf(20, 20, 24), 20, 20, flex, options()),
              "flexBlockMask: a block has 24 places, but a power of two from 16 on is expected");
  expectError(kernels::flexAttention(q, lse, q, q, zeros({1, 2, 20, 300}), {}, options()),
              "flexAttention: `out` has shape [1, 2, 20, 16], but [1, 2, 20, 300] is expected");
}
