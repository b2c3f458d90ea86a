// SparseProductTest.cpp: the wrappers of sparse24_matmul and block_sparse_matmul against plain loops.
#include "nereid/kernels/block_sparse_matmul.hpp"
#include "nereid/kernels/sparse24_matmul.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

TEST(Sparse24, KeepsTheTwoLargestOfFour) {
  constexpr int64_t kN = 20, kK = 48;
  Tensor w = random({kN, kK}, 1), values = zeros({kN, kK / 2}), places = zeros({kN, kK / 8}, DType::UInt8);
  Tensor expanded = zeros({kN, kK}), a = random({7, kK}, 2), bias = random({kN}, 3), c = zeros({7, kN});
  expectDone(kernels::sparse24Compress(values, places, w, options()));
  expectDone(kernels::sparse24Expand(expanded, values, places, options()));
  auto ws = w.values<float>();
  auto kept = [&](int64_t i) {
    int larger = 0;
    for (int64_t j = i / 4 * 4; j < i / 4 * 4 + 4; ++j)
      larger += std::fabs(ws[j]) > std::fabs(ws[i]);
    return larger < 2 ? ws[i] : 0.0f;
  };
  expectValues(expanded, kept, 0);
  expectDone(kernels::sparse24Matmul(c, a, values, places, {.bias = bias}, options()));
  expectValues(c, [&](int64_t i) {
    double total = bias.values<float>()[i % kN];
    for (int64_t k = 0; k < kK; ++k)
      total += double(a.values<float>()[i / kN * kK + k]) * kept(i % kN * kK + k);
    return total;
  });
}

TEST(Sparse24, MultipliesWithOrderedPlaces) {
  constexpr int64_t kM = 7, kN = 40, kK = 48;
  Tensor w = random({kN, kK}, 1), values = zeros({kN, kK / 2}), places = zeros({kN, kK / 8}, DType::UInt8);
  Tensor ordered = zeros({16, 64}, DType::Int16), expanded = zeros({kN, kK}), a = random({kM, kK}, 2),
         c = zeros({kM, kN});
  expectDone(kernels::sparse24Compress(values, places, w, options()));
  expectDone(kernels::sparse24Expand(expanded, values, places, options()));
  expectDone(kernels::sparse24Order(ordered, places, options()));
  expectDone(kernels::sparse24Matmul(c, a, values, ordered, {}, options()));
  expectValues(c, [&](int64_t i) {
    double total = 0;
    for (int64_t k = 0; k < kK; ++k)
      total += double(a.values<float>()[i / kN * kK + k]) * expanded.values<float>()[i % kN * kK + k];
    return total;
  });
}

TEST(Sparse24, RefusesWhatDoesNotFit) {
  Tensor w = zeros({2, 12});
  expectError(kernels::sparse24Compress(zeros({2, 6}), zeros({2, 1}, DType::UInt8), w, options()),
              "sparse24Compress: rows have 12 elements, but a multiple of 8 is expected");
  expectError(kernels::sparse24Expand(zeros({2, 8}), zeros({2, 4}), zeros({2, 1}), options()),
              "sparse24Expand: `places` has type f32, but u8 is expected");
  expectError(kernels::sparse24Order(zeros({8, 64}, DType::Int16), zeros({2, 2}, DType::UInt8), options()),
              "sparse24Order: `ordered` has shape [8, 64], but [16, 64] is expected");
}

TEST(BlockSparse, MultipliesTheBlocksThatAreThere) {
  constexpr int64_t kSize = 16, kRows = 21, kN = 3 * kSize, kK = 4 * kSize;
  Tensor crow = zeros({4}, DType::Int32), col = zeros({3}, DType::Int32), row = zeros({3}, DType::Int32);
  const int32_t begins[] = {0, 2, 2, 3}, columns[] = {1, 3, 0}, rows[] = {0, 0, 2};
  std::copy(std::begin(begins), std::end(begins), crow.values<int32_t>().begin());
  std::copy(std::begin(columns), std::end(columns), col.values<int32_t>().begin());
  std::copy(std::begin(rows), std::end(rows), row.values<int32_t>().begin());
  Tensor a = random({kRows, kK}, 1), values = random({3, kSize, kSize}, 2), c = zeros({kRows, kN});
  expectDone(kernels::blockSparseMatmul(c, a, values, crow, col, {}, options()));
  auto as = a.values<float>(), vs = values.values<float>();
  expectValues(c, [&](int64_t i) {
    int64_t n = i % kN;
    double total = 0;
    for (int64_t block = begins[n / kSize]; block < begins[n / kSize + 1]; ++block)
      for (int64_t k = 0; k < kSize; ++k)
        total += double(as[i / kN * kK + columns[block] * kSize + k]) * vs[(block * kSize + n % kSize) * kSize + k];
    return total;
  });
  Tensor gradC = random({kRows, kN}, 3), gradValues = zeros(values.shape());
  expectDone(kernels::blockSparseGradient(gradValues, gradC, a, row, col, "ieee", options()));
  expectValues(gradValues, [&](int64_t i) {
    int64_t block = i / (kSize * kSize), n = rows[block] * kSize + i / kSize % kSize,
            k = columns[block] * kSize + i % kSize;
    double total = 0;
    for (int64_t m = 0; m < kRows; ++m)
      total += double(gradC.values<float>()[m * kN + n]) * as[m * kK + k];
    return total;
  });
  expectError(kernels::blockSparseMatmul(c, a, zeros({3, 12, 12}), crow, col, {}, options()),
              "blockSparseMatmul: blocks have 12 rows, but a power of two from 16 to 128 is expected");
}
