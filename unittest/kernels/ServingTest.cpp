// ServingTest.cpp: the wrappers of decode_attention, mla_decode and kv_cache against plain loops.
#include "nereid/kernels/decode_attention.hpp"
#include "nereid/kernels/kv_cache.hpp"
#include "nereid/kernels/mla_decode.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kServedBatch = 2, kServedHeads = 6, kServedHeadsK = 2, kServedDim = 24, kPageSize = 8,
                         kPages = 40, kEach = 16;
static constexpr int64_t kRow = kServedHeadsK * kServedDim;

static Tensor integers(Shape shape, DType type, const std::vector<int64_t> &values) {
  Tensor result = zeros(std::move(shape), type);
  for (size_t i = 0; i < values.size(); ++i)
    if (type == DType::Int32)
      result.values<int32_t>()[i] = static_cast<int32_t>(values[i]);
    else
      result.values<int64_t>()[i] = values[i];
  return result;
}

// One element of the attention of a query over the rows that `rowOf` gives the numbers of.
static double attended(std::span<float> q, std::span<float> k, std::span<float> v, int64_t i, int64_t first,
                       int64_t end, const std::function<int64_t(int64_t)> &rowOf) {
  int64_t query = i / kServedDim, offset = query % kServedHeads / (kServedHeads / kServedHeadsK) * kServedDim;
  double total = 0, weights = 0;
  for (int64_t key = first; key < end; ++key) {
    double score = 0;
    for (int64_t d = 0; d < kServedDim; ++d)
      score += double(q[query * kServedDim + d]) * k[rowOf(key) * kRow + offset + d];
    double weight = std::exp(score / std::sqrt(double(kServedDim)));
    weights += weight;
    total += weight * v[rowOf(key) * kRow + offset + i % kServedDim];
  }
  return weights == 0 ? 0 : total / weights;
}

TEST(DecodeAttention, ReadsPages) {
  Tensor q = random({kServedBatch, kServedHeads, kServedDim}, 1),
         k = random({kPages, kPageSize, kServedHeadsK, kServedDim}, 2);
  Tensor v = random(k.shape(), 3), out = zeros(q.shape());
  std::vector<int64_t> table;
  for (int64_t i = 0; i < kServedBatch * kEach; ++i)
    table.push_back(i * 7 % kPages);
  Tensor pages = integers({kServedBatch, kEach}, DType::Int32, table),
         lengths = integers({kServedBatch}, DType::Int32, {125, 3});
  auto qs = q.values<float>(), ks = k.values<float>(), vs = v.values<float>();
  for (int64_t window : {0, 20})
    for (int64_t splits : {0, 1, 3}) {
      expectDone(kernels::decodeAttention(out, q, k, v, lengths, {.pages = pages, .window = window, .splits = splits},
                                          options()));
      expectValues(out, [&](int64_t i) {
        int64_t batch = i / (kServedHeads * kServedDim), end = lengths.values<int32_t>()[batch];
        return attended(qs, ks, vs, i, window ? std::max<int64_t>(0, end - window) : 0, end, [&](int64_t key) {
          return table[batch * kEach + key / kPageSize] * kPageSize + key % kPageSize;
        });
      });
    }
}

TEST(DecodeAttention, ReadsWholeSequencesAndScales) {
  Tensor q = random({kServedBatch, kServedHeads, kServedDim}, 1),
         k = random({kServedBatch, 50, kServedHeadsK, kServedDim}, 2), v = random(k.shape(), 3);
  Tensor out = zeros(q.shape()), lengths = integers({kServedBatch}, DType::Int32, {50, 0});
  expectDone(kernels::decodeAttention(out, q, k, v, lengths, {.vScale = 3}, options()));
  auto qs = q.values<float>(), ks = k.values<float>(), vs = v.values<float>();
  expectValues(out, [&](int64_t i) {
    int64_t batch = i / (kServedHeads * kServedDim);
    return 3 * attended(qs, ks, vs, i, 0, batch ? 0 : 50, [&](int64_t key) { return batch * 50 + key; });
  });
}

TEST(DecodeAttention, RefusesWhatDoesNotFit) {
  Tensor q = zeros({2, 4, 16}), cache = zeros({2, 8, 3, 16}), lengths = zeros({2}, DType::Int32);
  expectError(kernels::decodeAttention(zeros({2, 4, 16}), q, cache, cache, lengths, {}, options()),
              "decodeAttention: `q` has 4 heads, which is no multiple of the 3 heads of `kCache`");
  Tensor narrow = zeros({2, 4, 8}), other = zeros({2, 8, 2, 8});
  expectError(kernels::decodeAttention(zeros({2, 4, 8}), narrow, other, other, lengths, {}, options()),
              "decodeAttention: a head has 8 elements, but 16 to 256 are expected");
}

TEST(KvCache, WritesAndCopies) {
  Tensor k = random({3, kServedHeadsK, kServedDim}, 1), v = random({3, kServedHeadsK, kServedDim}, 2);
  Tensor kCache = zeros({4, kPageSize, kServedHeadsK, kServedDim}), vCache = zeros(kCache.shape());
  expectDone(kernels::writeKvCache(kCache, vCache, k, v, integers({3}, DType::Int64, {17, -1, 2}), {}, options()));
  auto token = [](int64_t slot) { return slot == 17 ? 0 : slot == 2 ? 2 : -1; };
  for (auto [cache, x] : {std::pair(&kCache, &k), std::pair(&vCache, &v)})
    expectValues(*cache, [&](int64_t i) {
      int64_t from = token(i / kRow);
      return from < 0 ? 0 : x->values<float>()[from * kRow + i % kRow];
    });
  expectDone(kernels::copyPages(kCache, integers({1, 2}, DType::Int64, {2, 3}), options()));
  auto values = kCache.values<float>();
  constexpr int64_t kPage = kPageSize * kRow;
  for (int64_t i = 0; i < kPage; ++i)
    ASSERT_EQ(values[3 * kPage + i], values[2 * kPage + i]) << "at element " << i;
  expectError(kernels::copyPages(kCache, zeros({2, 3}, DType::Int64), options()),
              "copyPages: `pairs` has shape [2, 3], but [2, 2] is expected");
}

TEST(KvCache, NarrowsToFp8) {
  Tensor k = zeros({1, 1, 16}), cache = zeros({1, 2, 1, 16}, DType::Fp8E4NV),
         other = zeros({1, 2, 1, 16}, DType::Fp8E4NV);
  for (float &value : k.values<float>())
    value = 1000;
  expectDone(kernels::writeKvCache(cache, other, k, k, integers({1}, DType::Int64, {1}), {.v = 1000}, options()));
  auto bits = [](const Tensor &tensor) { return reinterpret_cast<const uint8_t *>(tensor.data()); };
  EXPECT_EQ(bits(cache)[16], 0x7E); // 448, the largest value
  EXPECT_EQ(bits(other)[16], 0x38); // 1
  EXPECT_EQ(bits(other)[0], 0);
}

TEST(MlaDecode, SharesRowsBetweenHeads) {
  constexpr int64_t kRank = 20, kWidth = 32, kQueries = 18, kLength = 50;
  Tensor q = random({1, kQueries, kWidth}, 1), cache = random({1, 60, kWidth}, 2), out = zeros({1, kQueries, kRank});
  Tensor lengths = integers({1}, DType::Int32, {kLength});
  auto qs = q.values<float>(), rows = cache.values<float>();
  for (int64_t splits : {0, 1, 3}) {
    expectDone(kernels::mlaDecode(out, q, cache, lengths, kRank, {.scale = 0.3, .splits = splits}, options()));
    expectValues(out, [&](int64_t i) {
      double total = 0, weights = 0;
      for (int64_t key = 0; key < kLength; ++key) {
        double score = 0;
        for (int64_t d = 0; d < kWidth; ++d)
          score += double(qs[i / kRank * kWidth + d]) * rows[key * kWidth + d];
        weights += std::exp(0.3 * score);
        total += std::exp(0.3 * score) * rows[key * kWidth + i % kRank];
      }
      return total / weights;
    });
  }
  expectError(kernels::mlaDecode(out, q, cache, lengths, kWidth, {}, options()),
              "mlaDecode: rows of 32 elements have 32 latent ones, but 1 to 512 and 1 to 128 others are expected");
}
