// ReduceTest.cpp: the wrappers of reduce against plain loops.
#include "nereid/kernels/reduce.hpp"

#include "Reference.h"

#include <numeric>

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kReducedRows = 13, kReducedColumns = 1500;

static std::vector<float> line(const Tensor &x, int axis, int64_t index) {
  auto values = x.values<float>();
  std::vector<float> result;
  for (int64_t i = 0; i < x.shape()[axis]; ++i)
    result.push_back(axis ? values[index * x.shape()[1] + i] : values[i * x.shape()[1] + index]);
  return result;
}

TEST(Reduce, ReducesRowsAndColumns) {
  Tensor x = random({kReducedRows, kReducedColumns});
  for (int axis : {0, 1}) {
    Tensor out = zeros({axis ? kReducedRows : kReducedColumns});
    expectDone(kernels::sum(out, x, axis, options()));
    expectValues(out, [&](int64_t i) {
      auto values = line(x, axis, i);
      return std::accumulate(values.begin(), values.end(), 0.0);
    });
    expectDone(kernels::product(out, x, axis, options()));
    expectValues(out, [&](int64_t i) {
      auto values = line(x, axis, i);
      return std::accumulate(values.begin(), values.end(), 1.0, std::multiplies<>());
    });
    expectDone(kernels::max(out, x, axis, options()));
    expectValues(out, [&](int64_t i) { return std::ranges::max(line(x, axis, i)); }, 0);
    expectDone(kernels::min(out, x, axis, options()));
    expectValues(out, [&](int64_t i) { return std::ranges::min(line(x, axis, i)); }, 0);
  }
}

TEST(Reduce, FindsPlaces) {
  Tensor x = random({kReducedRows, kReducedColumns}), largest = zeros({kReducedRows}, DType::Int32),
         smallest = zeros({kReducedRows}, DType::Int64);
  expectDone(kernels::argmax(largest, x, options()));
  expectDone(kernels::argmin(smallest, x, options()));
  for (int64_t row = 0; row < kReducedRows; ++row) {
    auto values = line(x, 1, row);
    EXPECT_EQ(largest.values<int32_t>()[row], std::ranges::max_element(values) - values.begin());
    EXPECT_EQ(smallest.values<int64_t>()[row], std::ranges::min_element(values) - values.begin());
  }
}

TEST(Reduce, ComputesMoments) {
  Tensor x = random({kReducedRows, kReducedColumns}), mean = zeros({kReducedRows}), variance = zeros({kReducedRows});
  auto expectedMean = [&](int64_t i) {
    auto values = line(x, 1, i);
    return std::accumulate(values.begin(), values.end(), 0.0) / kReducedColumns;
  };
  auto expectedVariance = [&](int64_t i) {
    double total = 0;
    for (double value : line(x, 1, i))
      total += (value - expectedMean(i)) * (value - expectedMean(i));
    return total / (kReducedColumns - 1);
  };
  expectDone(kernels::variance(mean, variance, x, 1, options()));
  expectValues(mean, expectedMean);
  expectValues(variance, expectedVariance);
  expectDone(kernels::welford(mean, variance, x, 1, options()));
  expectValues(mean, expectedMean);
  expectValues(variance, expectedVariance);
}

TEST(Reduce, RefusesWhatDoesNotFit) {
  expectError(kernels::sum(zeros({4}), zeros({4, 5}), 0, options()), "sum: `out` has shape [4], but [5] is expected");
  expectError(kernels::sum(zeros({4}), zeros({4, 5}), 2, options()), "sum: the axis is 2, but 0 or 1 is expected");
  expectError(kernels::max(zeros({4}), zeros({4, 0}), 1, options()), "max: the axis has no elements");
  expectError(kernels::argmax(zeros({4}), zeros({4, 5}), options()),
              "argmax: `out` has type f32, but i32 or i64 is expected");
  expectDone(kernels::sum(zeros({4}), zeros({4, 0}), 1, options()));
}
