// SortTest.cpp: the wrapper of topk against a stable sort.
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
