// OutlierTest.cpp: the wrappers of lookup_matmul and outlier_matmul against plain loops.
#include "nereid/kernels/lookup_matmul.hpp"
#include "nereid/kernels/outlier_matmul.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

TEST(LookupMatmul, ReadsCodesOfThreeAndFourBits) {
  constexpr int64_t kRows = 5, kDepth = 64, kColumns = 70;
  for (int64_t bits : {3, 4}) {
    int64_t width = int64_t(1) << bits;
    Tensor codes = randomIntegers<int32_t>({kDepth, kColumns}, 0, static_cast<int>(width) - 1, 1);
    Tensor q = zeros({kDepth / 32 * bits, kColumns}, DType::Int32), table = random({kColumns, width}, 2);
    for (int64_t i = 0; i < codes.count(); ++i) // bit by bit
      for (int64_t bit = 0; bit < bits; ++bit) {
        int64_t place = i / kColumns * bits + bit;
        uint32_t value = static_cast<uint32_t>(codes.values<int32_t>()[i]) >> bit & 1;
        auto &word = q.values<int32_t>()[place / 32 * kColumns + i % kColumns];
        word = static_cast<int32_t>(static_cast<uint32_t>(word) | value << place % 32);
      }
    auto weight = [&](int64_t k, int64_t n) {
      return double(table.values<float>()[n * width + codes.values<int32_t>()[k * kColumns + n]]);
    };
    Tensor w = zeros({kDepth, kColumns}), a = random({kRows, kDepth}, 3), c = zeros({kRows, kColumns});
    expectDone(kernels::lookupDequantize(w, q, table, options()));
    expectValues(w, [&](int64_t i) { return weight(i / kColumns, i % kColumns); }, 0);
    // One weight beside the table in every second channel.
    kernels::SparseWeights beside{zeros({kColumns + 1}, DType::Int32), zeros({kColumns / 2}, DType::Int32),
                                  random({kColumns / 2}, 4)};
    for (int64_t n = 0; n <= kColumns; ++n)
      beside.starts.values<int32_t>()[n] = static_cast<int32_t>(n / 2);
    for (int64_t i = 0; i < kColumns / 2; ++i)
      beside.places.values<int32_t>()[i] = static_cast<int32_t>(i * 7 % kDepth);
    expectDone(kernels::lookupMatmul(c, a, q, table, beside, "ieee", options()));
    expectValues(c, [&](int64_t i) {
      int64_t m = i / kColumns, n = i % kColumns;
      double total =
          n % 2 ? double(beside.values.values<float>()[n / 2]) * a.values<float>()[m * kDepth + n / 2 * 7 % kDepth] : 0;
      for (int64_t k = 0; k < kDepth; ++k)
        total += a.values<float>()[m * kDepth + k] * weight(k, n);
      return total;
    });
    expectError(kernels::lookupMatmul(c, zeros({kRows, 40}), q, table, {}, "ieee", options()),
                "lookupMatmul: the weights have 40 rows, but a multiple of 32 is expected");
  }
}

TEST(OutlierMatmul, KeepsLargeColumnsAsFloats) {
  constexpr int64_t kRows = 6, kDepth = 50, kColumns = 20;
  Tensor a = random({kRows, kDepth}, 1), w = randomIntegers<int8_t>({kDepth, kColumns}, -127, 127, 2);
  Tensor scale = random({kColumns}, 3), c = zeros({kRows, kColumns});
  auto values = a.values<float>();
  for (float &value : values)
    value = std::clamp(value, -3.0F, 3.0F);
  for (int64_t k : {4, 33})
    values[k % kRows * kDepth + k] = 25;
  // The others are off by half a step of their row's scale.
  expectDone(kernels::outlierMatmul(c, a, w, scale, 6, "ieee", options()));
  for (int64_t i = 0; i < c.count(); ++i) {
    double total = 0, room = 0, largest = 0;
    for (int64_t k = 0; k < kDepth; ++k) {
      double x = values[i / kColumns * kDepth + k], weight = double(w.values<int8_t>()[k * kColumns + i % kColumns]);
      total += x * weight;
      if (k != 4 && k != 33) {
        largest = std::max(largest, std::fabs(x));
        room += std::fabs(weight) / 2;
      }
    }
    double factor = scale.values<float>()[i % kColumns];
    ASSERT_NEAR(c.values<float>()[i], total * factor, std::fabs(factor) * (room * largest / 127 + 1e-3))
        << "at element " << i;
  }
  expectError(kernels::outlierMatmul(c, a, w, zeros({3}), 6, "ieee", options()),
              "outlierMatmul: `wScale` has shape [3], but [20] is expected");
}
