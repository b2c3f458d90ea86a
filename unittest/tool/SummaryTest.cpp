// SummaryTest.cpp: results are compared for what they are, also where their difference does not show in fp64.
#include "Summary.h"

#include "nereid/nereid.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace nereid::tool {
namespace {

template <class T> Tensor tensorOf(DType dtype, std::vector<T> values) {
  Result<Tensor> made = Tensor::zeros(dtype, {int64_t(values.size())});
  std::copy(values.begin(), values.end(), reinterpret_cast<T *>(made->data()));
  return *made;
}

TEST(Summary, NothingIsNearInfinity) {
  constexpr float kInfinity = INFINITY;
  Tensor numbers = tensorOf<float>(DType::Fp32, {2, -3, 0, kInfinity});
  Tensor others = tensorOf<float>(DType::Fp32, {kInfinity, -kInfinity, NAN, kInfinity});
  EXPECT_EQ(compare(numbers, others, 1e-4).beyond, 3);
  EXPECT_EQ(compare(others, numbers, 1e-4).beyond, 3);
  EXPECT_EQ(compare(others, others, 1e-4).beyond, 0);
  EXPECT_EQ(compare(numbers, std::vector<double>{2, -3, 0, -kInfinity}, 1e-4).beyond, 1);
}

TEST(Summary, WideIntegersAreCompared) {
  constexpr int64_t kWide = int64_t(1) << 60;
  Tensor a = tensorOf<int64_t>(DType::Int64, {kWide, kWide, -kWide}),
         b = tensorOf<int64_t>(DType::Int64, {kWide, kWide + 1, -kWide});
  Difference found = compare(a, b, 0);
  EXPECT_EQ(found.beyond, 1);
  EXPECT_EQ(found.first, 1);
  EXPECT_EQ(found.absolute, 1);
  EXPECT_EQ(compare(a, a, 0).beyond, 0);
}

} // namespace
} // namespace nereid::tool
