// SortTest.cpp: the wrappers of topk, radix_sort, embedding and histogram against plain sorts and loops.
#include "nereid/kernels/embedding.hpp"
#include "nereid/kernels/histogram.hpp"
#include "nereid/kernels/radix_sort.hpp"
#include "nereid/kernels/topk.hpp"

#include "Reference.h"

#include <numeric>

using namespace nereid;
using namespace nereid::test;

TEST(Topk, FindsTheLargestAndTheSmallest) {
  constexpr int64_t kRows = 3, kColumns = 1500, kCount = 20;
  Tensor x = random({kRows, kColumns}), values = zeros({kRows, kCount}), columns = zeros({kRows, kCount}, DType::Int64);
  auto xs = x.values<float>();
  for (int64_t i = kColumns; i < 2 * kColumns; ++i)
    xs[i] = std::round(xs[i]); // many equal ones
  for (bool largest : {true, false}) {
    expectDone(kernels::topk(values, columns, x, largest, options()));
    for (int64_t row = 0; row < kRows; ++row) {
      std::vector<int64_t> order(kColumns);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        float left = xs[row * kColumns + a], right = xs[row * kColumns + b];
        return left == right ? a < b : largest ? left > right : left < right;
      });
      for (int64_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(columns.values<int64_t>()[row * kCount + i], order[i]) << "row " << row << ", place " << i;
        ASSERT_EQ(values.values<float>()[row * kCount + i], xs[row * kColumns + order[i]]);
      }
    }
  }
  expectError(kernels::topk(zeros({2, 9}), zeros({2, 9}, DType::Int64), zeros({2, 8}), true, options()),
              "topk: 9 of 8 elements are asked for, but 1 to 1024 of at least so many are expected");
}

template <class T> static void testSort(const Tensor &keys, const kernels::SortOptions &order) {
  int64_t count = keys.count();
  Tensor sorted = zeros({count}, keys.dtype()), places = zeros({count}, DType::Int32);
  expectDone(kernels::sort(sorted, places, keys, order, options()));
  auto values = keys.values<T>();
  std::vector<int32_t> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  std::sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
    return values[a] == values[b] ? a < b : order.descending ? values[a] > values[b] : values[a] < values[b];
  });
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(places.values<int32_t>()[i], expected[i]) << "at place " << i;
    ASSERT_EQ(sorted.values<T>()[i], values[expected[i]]);
  }
}

TEST(Sort, SortsEachRow) {
  constexpr int64_t kRows = 37, kColumns = 90;
  Tensor keys = randomIntegers<int32_t>({kRows, kColumns}, -20, 20), sorted = zeros(keys.shape(), DType::Int32),
         columns = zeros(keys.shape(), DType::Int64);
  for (bool descending : {false, true}) {
    expectDone(kernels::sortRows(sorted, columns, keys, descending, options()));
    for (int64_t row = 0; row < kRows; ++row) {
      auto values = keys.values<int32_t>().subspan(row * kColumns, kColumns);
      std::vector<int64_t> expected(kColumns);
      std::iota(expected.begin(), expected.end(), 0);
      std::sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
        return values[a] == values[b] ? a < b : descending ? values[a] > values[b] : values[a] < values[b];
      });
      for (int64_t i = 0; i < kColumns; ++i) {
        ASSERT_EQ(columns.values<int64_t>()[row * kColumns + i], expected[i]) << "at row " << row << ", place " << i;
        ASSERT_EQ(sorted.values<int32_t>()[row * kColumns + i], values[expected[i]]);
      }
    }
  }
  expectError(kernels::sortRows(sorted, columns, zeros({3, 4}, DType::Int32), false, options()),
              "sortRows: `sorted` has shape [37, 90], but `keys` has [3, 4]");
}

TEST(Sort, IsStable) {
  for (bool descending : {false, true}) {
    testSort<float>(random({3000}), {.descending = descending});
    testSort<int32_t>(randomIntegers<int32_t>({3000}, -50, 50), {.descending = descending});
    testSort<int64_t>(randomIntegers<int64_t>({500}, 0, 200), {.descending = descending, .bits = 8});
    testSort<int64_t>(randomIntegers<int64_t>({100}, -2000000000, 2000000000), {.descending = descending});
  }
  testSort<float>(zeros({0}), {});
  expectError(kernels::sort(zeros({3}), zeros({3}, DType::Int32), zeros({3}), {.bits = 8}, options()),
              "sort: 8 bits are asked for, but up to 32 are expected, and all of floats");
}

TEST(Sort, RefusesWhat32BitsDoNotCount) {
  Tensor x = zeros({1});
  auto far = [&](DType type) { return Tensor::borrow(x.data(), type, {int64_t(1) << 29, 4}); };
  expectError(kernels::sortRows(far(DType::Fp32), far(DType::Int32), far(DType::Fp32), false, options()),
              "sortRows: `keys` has 2147483648 elements, but at most 2145386496 can be counted");
}

TEST(Embedding, TakesAndAddsRows) {
  constexpr int64_t kRows = 11, kColumns = 50, kCount = 40;
  Tensor table = random({kRows, kColumns}, 1), index = randomIntegers<int64_t>({kCount}, 0, kRows - 1);
  Tensor out = zeros({kCount, kColumns}), x = random({kCount, kColumns}, 2), sums = zeros({kRows, kColumns});
  auto numbers = index.values<int64_t>();
  numbers[3] = kRows, numbers[5] = -1, numbers[7] = 4;
  expectDone(kernels::embedding(out, table, index, options()));
  expectValues(out, [&](int64_t i) {
    int64_t row = numbers[i / kColumns];
    return row < 0 || row >= kRows ? 0 : table.values<float>()[row * kColumns + i % kColumns];
  });
  expectDone(kernels::indexAdd(sums, index, x, 4, options()));
  expectValues(sums, [&](int64_t i) {
    double total = 0;
    for (int64_t j = 0; j < kCount; ++j)
      total += numbers[j] == i / kColumns && numbers[j] != 4 ? x.values<float>()[j * kColumns + i % kColumns] : 0;
    return total;
  });
  expectError(kernels::embedding(zeros({kCount, 3}), table, index, options()),
              "embedding: `out` has shape [40, 3], but [40, 50] is expected");
}

TEST(Histogram, CountsIntegersAndFloats) {
  constexpr int64_t kBins = 20;
  Tensor counts = zeros({kBins}, DType::Int32), x = randomIntegers<int64_t>({10000}, -3, kBins + 3);
  expectDone(kernels::bincount(counts, x, options()));
  auto numbers = x.values<int64_t>();
  for (int64_t bin = 0; bin < kBins; ++bin)
    EXPECT_EQ(counts.values<int32_t>()[bin], std::count(numbers.begin(), numbers.end(), bin));
  Tensor floats = zeros({6});
  const float values[] = {-1, 0, 0.24F, 0.25F, 1, NAN};
  std::copy(std::begin(values), std::end(values), floats.values<float>().begin());
  Tensor quarters = zeros({4}, DType::Int32);
  expectDone(kernels::histogram(quarters, floats, 0, 1, options()));
  const int32_t expected[] = {2, 1, 0, 1};
  for (int64_t bin = 0; bin < 4; ++bin)
    EXPECT_EQ(quarters.values<int32_t>()[bin], expected[bin]);
  expectError(kernels::bincount(counts, floats, options()),
              "bincount: `x` has type f32, but i32, i64 or u8 is expected");
}
