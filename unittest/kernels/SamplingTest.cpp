// SamplingTest.cpp: the wrappers of sampling: which logits are kept, and how often what is drawn; of penalties and rejection_sampling.
#include "nereid/kernels/sampling.hpp"
#include "nereid/kernels/penalties.hpp"
#include "nereid/kernels/rejection_sampling.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static Tensor filled(Shape shape, float value) {
  Tensor result = zeros(std::move(shape));
  for (float &each : result.values<float>())
    each = value;
  return result;
}

static Tensor counted(int64_t count) {
  Tensor result = zeros({count}, DType::Int64);
  for (int64_t i = 0; i < count; ++i)
    result.values<int64_t>()[i] = i;
  return result;
}

TEST(Sampling, KeepsTheLargest) {
  constexpr int64_t kRows = 3, kColumns = 500;
  Tensor logits = random({kRows, kColumns}), out = zeros({kRows, kColumns}), topK = zeros({kRows}, DType::Int32);
  for (int32_t &each : topK.values<int32_t>())
    each = 40;
  expectDone(kernels::filterLogits(out, logits, {.temperature = filled({kRows}, 2), .topK = topK}, options()));
  auto values = logits.values<float>(), results = out.values<float>();
  for (int64_t row = 0; row < kRows; ++row) {
    std::vector<float> sorted(&values[row * kColumns], &values[row * kColumns] + kColumns);
    std::sort(sorted.begin(), sorted.end(), std::greater<float>());
    for (int64_t i = row * kColumns; i < (row + 1) * kColumns; ++i)
      if (values[i] >= sorted[39])
        ASSERT_FLOAT_EQ(results[i], values[i] / 2) << "at element " << i;
      else
        ASSERT_EQ(results[i], -INFINITY) << "at element " << i;
  }
}

TEST(Sampling, DrawsAsOftenAsItShould) {
  constexpr int64_t kRows = 3000;
  const double shares[] = {0.6, 0.3, 0.1};
  Tensor logits = zeros({kRows, 3}), weights = zeros({kRows, 3}), tokens = zeros({kRows}, DType::Int64);
  for (int64_t i = 0; i < logits.count(); ++i) {
    weights.values<float>()[i] = static_cast<float>(5 * shares[i % 3]);
    logits.values<float>()[i] = static_cast<float>(std::log(shares[i % 3]));
  }
  auto share = [&](int64_t token) {
    auto drawn = tokens.values<int64_t>();
    return double(std::count(drawn.begin(), drawn.end(), token)) / kRows;
  };
  expectDone(kernels::sample(tokens, logits, counted(kRows), {}, options()));
  for (int64_t token : {0, 1, 2})
    EXPECT_NEAR(share(token), shares[token], 0.04);
  expectDone(kernels::multinomial(tokens, weights, counted(kRows), options()));
  for (int64_t token : {0, 1, 2})
    EXPECT_NEAR(share(token), shares[token], 0.04);
  expectDone(kernels::sample(tokens, logits, counted(kRows), {.topP = filled({kRows}, 0.8F)}, options()));
  EXPECT_EQ(share(2), 0);
  EXPECT_NEAR(share(0), 2.0 / 3, 0.04);
  expectDone(kernels::sample(tokens, logits, counted(kRows), {.minP = filled({kRows}, 0.4F)}, options()));
  EXPECT_EQ(share(2), 0);
  expectDone(kernels::sample(tokens, logits, counted(kRows), {.temperature = zeros({kRows})}, options()));
  EXPECT_EQ(share(0), 1);
}

TEST(Sampling, RefusesWhatDoesNotFit) {
  expectError(kernels::sample(zeros({2}, DType::Int32), zeros({2, 3}), counted(2), {}, options()),
              "sample: `tokens` has type i32, but i64 is expected");
  expectError(kernels::filterLogits(zeros({2, 3}), zeros({2, 3}), {.topK = zeros({2})}, options()),
              "filterLogits: `topK` has type f32, but i32 is expected");
  expectError(kernels::multinomial(zeros({2}, DType::Int64), zeros({2, 0}), counted(2), options()),
              "multinomial: the rows have no elements");
}

TEST(Penalties, TakeOffWhatWasSaid) {
  Tensor tokens = zeros({1, 4}, DType::Int64), counts = zeros({1, 5}, DType::Int32), logits = zeros({1, 5}),
         out = zeros({1, 5});
  const int64_t said[] = {2, 4, 2, 9}; // the last is no token
  std::copy(std::begin(said), std::end(said), tokens.values<int64_t>().begin());
  const float values[] = {1, -1, 3, 2, -2};
  std::copy(std::begin(values), std::end(values), logits.values<float>().begin());
  expectDone(kernels::countTokens(counts, tokens, options()));
  expectDone(kernels::applyPenalties(
      out, logits, counts, {.repetition = filled({1}, 2), .frequency = filled({1}, 0.5), .presence = filled({1}, 0.25)},
      options()));
  const double expected[] = {1, -1, 3 / 2. - 1 - 0.25, 2, -4 - 0.5 - 0.25};
  expectValues(out, [&](int64_t i) { return expected[i]; });
  expectError(kernels::applyPenalties(out, logits, zeros({1, 4}, DType::Int32), {}, options()),
              "applyPenalties: `counts` has shape [1, 4], but [1, 5] is expected");
}

TEST(RejectionSampling, KeepsTheDistributionOfTheTarget) {
  constexpr int64_t kBatch = 3000;
  const float target[] = {0.5, 0.2, 0.3}, draft[] = {0.1, 0.6, 0.3};
  Tensor targets = zeros({kBatch, 1, 3}), drafts = zeros({kBatch, 1, 3}), proposed = zeros({kBatch, 1}, DType::Int64);
  Tensor tokens = zeros({kBatch, 2}, DType::Int64), accepted = zeros({kBatch}, DType::Int32),
         bonus = zeros({kBatch}, DType::Int64);
  std::mt19937 generator(1);
  std::discrete_distribution<int64_t> drawn(std::begin(draft), std::end(draft));
  for (int64_t b = 0; b < kBatch; ++b) {
    std::copy(target, target + 3, targets.values<float>().begin() + 3 * b);
    std::copy(draft, draft + 3, drafts.values<float>().begin() + 3 * b);
    proposed.values<int64_t>()[b] = drawn(generator);
    bonus.values<int64_t>()[b] = 7;
  }
  expectDone(kernels::rejectionSampling(tokens, accepted, proposed, targets, bonus,
                                        {.draft = drafts, .seeds = counted(kBatch)}, options()));
  double shares[3] = {};
  for (int64_t b = 0; b < kBatch; ++b) {
    bool isKept = accepted.values<int32_t>()[b] == 1;
    shares[tokens.values<int64_t>()[2 * b]] += 1. / kBatch;
    ASSERT_EQ(tokens.values<int64_t>()[2 * b + 1], isKept ? 7 : -1);
  }
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(shares[i], target[i], 0.04);
  expectError(kernels::rejectionSampling(bonus, accepted, proposed, targets, bonus, {}, options()),
              "rejectionSampling: `tokens` has shape [3000], but [3000, 2] is expected");
}
