// VarlenTest.cpp: the wrappers of varlen_attention, forward and backward, against those of flash_attention and plain loops.
#include "nereid/kernels/flash_attention.hpp"
#include "nereid/kernels/varlen_attention.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static Tensor indices(const std::vector<int32_t> &values) {
  Tensor result = zeros({static_cast<int64_t>(values.size())}, DType::Int32);
  std::copy(values.begin(), values.end(), result.values<int32_t>().begin());
  return result;
}

TEST(VarlenAttention, IsAttentionOfEachSequence) {
  constexpr int64_t kHeads = 4, kHeadsK = 2, kDim = 32, kRow = kHeads * kDim;
  const std::vector<int32_t> startsQ{0, 20, 21, 41}, startsK{0, 20, 50, 95}; // prefill, a decode, a chunk
  Tensor q = random({41, kHeads, kDim}, 1), k = random({95, kHeadsK, kDim}, 2), v = random({95, kHeadsK, kDim}, 3);
  Tensor out = zeros(q.shape()), lse = zeros({kHeads, 41});
  for (bool causal : {false, true}) {
    expectDone(kernels::varlenAttention(out, lse, q, k, v,
                                        {.startsQ = indices(startsQ), .longestQ = 20, .startsK = indices(startsK)},
                                        {.causal = causal}, options()));
    for (size_t b = 0; b + 1 < startsQ.size(); ++b) {
      int64_t n = startsQ[b + 1] - startsQ[b], m = startsK[b + 1] - startsK[b];
      auto heads = [](const Tensor &tensor, int64_t first, int64_t count, int64_t heads) {
        return Tensor::borrow(tensor.data() + first * heads * kDim * sizeof(float), DType::Fp32,
                              {1, heads, count, kDim}, {0, kDim, heads * kDim, 1});
      };
      Tensor expected = zeros({1, kHeads, n, kDim}), unused = zeros({1, kHeads, n});
      expectDone(kernels::attention(expected, unused, heads(q, startsQ[b], n, kHeads), heads(k, startsK[b], m, kHeadsK),
                                    heads(v, startsK[b], m, kHeadsK), {.causal = causal}, options()));
      for (int64_t i = 0; i < n * kRow; ++i) {
        int64_t row = i / kRow, head = i / kDim % kHeads;
        ASSERT_NEAR(out.values<float>()[startsQ[b] * kRow + i],
                    expected.values<float>()[(head * n + row) * kDim + i % kDim], 2e-5)
            << "sequence " << b << ", element " << i;
      }
    }
  }
}

TEST(VarlenAttention, GoesBackwardLikeAttentionOfEachSequence) {
  constexpr int64_t kHeads = 4, kHeadsK = 2, kDim = 32;
  const std::vector<int32_t> startsQ{0, 20, 21, 41}, startsK{0, 20, 50, 95};
  Tensor q = random({41, kHeads, kDim}, 1), k = random({95, kHeadsK, kDim}, 2), v = random({95, kHeadsK, kDim}, 3);
  Tensor gradOut = random(q.shape(), 4), out = zeros(q.shape()), lse = zeros({kHeads, 41});
  Tensor gradQ = zeros(q.shape()), gradK = zeros(k.shape()), gradV = zeros(v.shape());
  kernels::VarlenSequences sequences{
      .startsQ = indices(startsQ), .longestQ = 20, .startsK = indices(startsK), .longestK = 45};
  expectDone(kernels::varlenAttention(out, lse, q, k, v, sequences, {.causal = true}, options()));
  expectDone(kernels::varlenAttentionBackward(gradQ, gradK, gradV, gradOut, out, lse, q, k, v, sequences,
                                              {.causal = true}, options()));
  for (size_t b = 0; b + 1 < startsQ.size(); ++b) {
    // One sequence of a packed tensor, as [1, heads, rows, dim].
    auto part = [&](const Tensor &tensor, const std::vector<int32_t> &starts) {
      int64_t heads = tensor.shape()[1];
      return Tensor::borrow(tensor.data() + starts[b] * heads * kDim * sizeof(float), DType::Fp32,
                            {1, heads, starts[b + 1] - starts[b], kDim}, {0, kDim, heads * kDim, 1});
    };
    Tensor wantQ = zeros(q.shape()), wantK = zeros(k.shape()), wantV = zeros(v.shape()), wantOut = zeros(q.shape());
    Tensor unused = zeros({1, kHeads, startsQ[b + 1] - startsQ[b]});
    expectDone(kernels::attention(part(wantOut, startsQ), unused, part(q, startsQ), part(k, startsK), part(v, startsK),
                                  {.causal = true}, options()));
    expectDone(kernels::attentionBackward(part(wantQ, startsQ), part(wantK, startsK), part(wantV, startsK),
                                          part(gradOut, startsQ), part(wantOut, startsQ), unused, part(q, startsQ),
                                          part(k, startsK), part(v, startsK), {.causal = true}, options()));
    using Compared = std::tuple<const Tensor &, const Tensor &, const std::vector<int32_t> &>;
    for (auto [actual, expected, starts] :
         {Compared{gradQ, wantQ, startsQ}, {gradK, wantK, startsK}, {gradV, wantV, startsK}}) {
      int64_t row = actual.shape()[1] * kDim;
      for (int64_t i = starts[b] * row; i < starts[b + 1] * row; ++i)
        ASSERT_NEAR(actual.values<float>()[i], expected.values<float>()[i], 5e-5) << "sequence " << b << ", " << i;
    }
  }
  sequences.pages = zeros({3, 1}, DType::Int32);
  expectError(
      kernels::varlenAttentionBackward(gradQ, gradK, gradV, gradOut, out, lse, q, k, v, sequences, {}, options()),
      "varlenAttentionBackward: `pages` have no backward pass: packed keys and values are expected");
}

TEST(VarlenAttention, ReadsPagesInAWindow) {
  constexpr int64_t kPageSize = 8, kDim = 16;
  Tensor q = random({3, 1, kDim}, 1), k = random({4, kPageSize, 1, kDim}, 2), v = random(k.shape(), 3);
  Tensor out = zeros(q.shape()), lse = zeros({1, 3}), pages = zeros({1, 3}, DType::Int32);
  const int64_t order[] = {2, 0, 3};
  std::copy(std::begin(order), std::end(order), pages.values<int32_t>().begin());
  expectDone(kernels::varlenAttention(
      out, lse, q, k, v, {.startsQ = indices({0, 3}), .longestQ = 3, .lengthsK = indices({21}), .pages = pages},
      {.windowLeft = 4, .windowRight = 1}, options()));
  auto qs = q.values<float>(), ks = k.values<float>(), vs = v.values<float>();
  expectValues(out, [&](int64_t i) {
    int64_t query = i / kDim, place = query + 18;
    double total = 0, weights = 0;
    for (int64_t key = place - 4; key <= std::min<int64_t>(20, place + 1); ++key) {
      int64_t row = (order[key / kPageSize] * kPageSize + key % kPageSize) * kDim;
      double score = 0;
      for (int64_t d = 0; d < kDim; ++d)
        score += double(qs[query * kDim + d]) * ks[row + d];
      double weight = std::exp(score / 4);
      weights += weight, total += weight * vs[row + i % kDim];
    }
    return total / weights;
  });
}

TEST(VarlenAttention, RefusesWhatDoesNotFit) {
  Tensor q = zeros({3, 2, 16}), lse = zeros({2, 3});
  expectError(kernels::varlenAttention(q, lse, q, q, q, {.startsQ = indices({0, 3}), .longestQ = 3}, {}, options()),
              "varlenAttention: either `startsK`, or `lengthsK` and `pages` are expected");
  expectError(kernels::varlenAttention(q, zeros({3, 2}), q, q, q,
                                       {.startsQ = indices({0, 3}), .longestQ = 3, .startsK = indices({0, 3})}, {},
                                       options()),
              "varlenAttention: `lse` has shape [3, 2], but [2, 3] is expected");
}
