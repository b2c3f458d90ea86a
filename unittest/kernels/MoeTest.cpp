// MoeTest.cpp: the wrappers of moe: routing, order and return of tokens against plain loops.
#include "nereid/kernels/moe.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kTokens = 37, kExperts = 12, kTopK = 3, kMoeColumns = 50;

// Routing and order of random logits, and rows in that order.
struct Routed {
  Tensor logits = random({kTokens, kExperts}, 1), weights = zeros({kTokens, kTopK});
  Tensor experts = zeros({kTokens, kTopK}, DType::Int32), positions = zeros({kTokens, kTopK}, DType::Int32);
  Tensor ends = zeros({kExperts}, DType::Int32);
  std::span<int32_t> chosen = experts.values<int32_t>(), rows = positions.values<int32_t>();

  Routed() {
    expectDone(kernels::moeRoute(weights, experts, logits, true, options()));
    expectDone(kernels::moeOrder(positions, ends, experts, options()));
  }
};

TEST(Moe, RoutesToTheBestExperts) {
  Routed routed;
  auto values = routed.logits.values<float>();
  for (int64_t token = 0; token < kTokens; ++token) {
    std::vector<float> row(&values[token * kExperts], &values[token * kExperts] + kExperts);
    double total = 0;
    for (int64_t j = 0; j < kTopK; ++j)
      total += std::exp(double(row[routed.chosen[token * kTopK + j]]));
    std::vector<float> sorted = row;
    std::sort(sorted.begin(), sorted.end(), std::greater<float>());
    for (int64_t j = 0; j < kTopK; ++j) {
      EXPECT_EQ(row[routed.chosen[token * kTopK + j]], sorted[j]);
      EXPECT_NEAR(routed.weights.values<float>()[token * kTopK + j], std::exp(double(sorted[j])) / total, 1e-5);
    }
  }
}

TEST(Moe, DifferentiatesTheRouting) {
  Routed routed;
  Tensor gradWeights = random({kTokens, kTopK}, 2), gradLogits = zeros({kTokens, kExperts});
  expectDone(kernels::moeRouteBackward(gradLogits, gradWeights, routed.logits, routed.experts, true, options()));
  auto weights = routed.weights.values<float>(), gradients = gradWeights.values<float>();
  expectValues(gradLogits, [&](int64_t i) {
    double along = 0, own = 0;
    for (int64_t j = i / kExperts * kTopK; j < (i / kExperts + 1) * kTopK; ++j)
      along += double(weights[j]) * gradients[j];
    for (int64_t j = i / kExperts * kTopK; j < (i / kExperts + 1) * kTopK; ++j)
      if (routed.chosen[j] == i % kExperts)
        own = weights[j] * (gradients[j] - along);
    return own;
  });
}

TEST(Moe, OrdersByExpert) {
  Routed routed;
  routed.chosen[5] = -1, routed.chosen[9] = kExperts; // none of the experts
  expectDone(kernels::moeOrder(routed.positions, routed.ends, routed.experts, options()));
  int32_t next = 0;
  for (int64_t expert = 0; expert < kExperts; ++expert) {
    for (int64_t i = 0; i < kTokens * kTopK; ++i)
      if (routed.chosen[i] == expert)
        ASSERT_EQ(routed.rows[i], next++) << "choice " << i;
    EXPECT_EQ(routed.ends.values<int32_t>()[expert], next);
  }
  EXPECT_EQ(routed.rows[5], -1);
  EXPECT_EQ(routed.rows[9], -1);
}

TEST(Moe, TakesRowsThereAndBack) {
  Routed routed;
  Tensor x = random({kTokens, kMoeColumns}, 3), rows = zeros({kTokens * kTopK, kMoeColumns}),
         out = zeros({kTokens, kMoeColumns});
  expectDone(kernels::moePermute(rows, x, routed.positions, options()));
  auto weights = routed.weights.values<float>(), xs = x.values<float>(), ys = rows.values<float>();
  for (int64_t i = 0; i < kTokens * kTopK; ++i)
    for (int64_t j = 0; j < kMoeColumns; ++j)
      ASSERT_EQ(ys[routed.rows[i] * kMoeColumns + j], xs[i / kTopK * kMoeColumns + j]);
  expectDone(kernels::moeCombine(out, rows, routed.positions, routed.weights, options()));
  expectValues(out, [&](int64_t i) { return xs[i]; }); // the weights add up to 1
  expectDone(kernels::moeCombine(out, rows, routed.positions, {}, options()));
  expectValues(out, [&](int64_t i) { return kTopK * xs[i]; });

  Tensor gradOut = random({kTokens, kMoeColumns}, 4), gradY = zeros(rows.shape()),
         gradWeights = zeros({kTokens, kTopK});
  expectDone(
      kernels::moeCombineBackward(gradY, gradWeights, gradOut, rows, routed.positions, routed.weights, options()));
  auto gradients = gradOut.values<float>(), gradYs = gradY.values<float>();
  expectValues(gradWeights, [&](int64_t i) {
    double total = 0;
    for (int64_t j = 0; j < kMoeColumns; ++j)
      total += double(gradients[i / kTopK * kMoeColumns + j]) * ys[routed.rows[i] * kMoeColumns + j];
    return total;
  });
  for (int64_t i = 0; i < kTokens * kTopK; ++i)
    ASSERT_NEAR(gradYs[routed.rows[i] * kMoeColumns], weights[i] * gradients[i / kTopK * kMoeColumns], 1e-5);
}

TEST(Moe, RefusesWhatDoesNotFit) {
  Tensor experts = zeros({4, 9}, DType::Int32);
  expectError(kernels::moeRoute(zeros({4, 9}), experts, zeros({4, 8}), true, options()),
              "moeRoute: 9 of 8 experts are asked for, but 1 to all of at most 1024 are expected");
  expectError(kernels::moePermute(zeros({8, 5}), zeros({4, 6}), zeros({4, 2}, DType::Int32), options()),
              "moePermute: `out` has shape [8, 5], but [8, 6] is expected");
}
