// ScanTest.cpp: the wrappers of scan against plain loops: rows of one tile and of many.
#include "nereid/kernels/scan.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

TEST(Scan, TakesAllElementsSoFarTogether) {
  for (int64_t columns : {1, 300, 20000}) {
    Tensor x = random({3, columns}), out = zeros({3, columns});
    auto values = x.values<float>();
    std::vector<double> sums(values.size()), largest(values.size()), rest(values.size());
    for (int64_t i = 0; i < x.count(); ++i) {
      bool isFirst = i % columns == 0;
      sums[i] = values[i] + (isFirst ? 0 : sums[i - 1]);
      largest[i] = isFirst ? values[i] : std::max<double>(values[i], largest[i - 1]);
    }
    for (int64_t i = x.count() - 1; i >= 0; --i)
      rest[i] = values[i] + ((i + 1) % columns == 0 ? 0 : rest[i + 1]);
    expectDone(kernels::scan(out, x, {}, options()));
    expectValues(out, [&](int64_t i) { return sums[i]; }, 1e-3);
    expectDone(kernels::scan(out, x, {.isReversed = true}, options()));
    expectValues(out, [&](int64_t i) { return rest[i]; }, 1e-3);
    expectDone(kernels::scan(out, x, {.kind = "max"}, options()));
    expectValues(out, [&](int64_t i) { return largest[i]; }, 0);
  }
}

TEST(Scan, OfIntegersIsExact) {
  Tensor x = randomIntegers<int32_t>({2, 9000}, -2000000000, 2000000000), out = zeros({2, 9000}, DType::Int64);
  expectDone(kernels::scan(out, x, {}, options()));
  int64_t sum = 0;
  for (int64_t i = 0; i < x.count(); ++i) {
    sum = x.values<int32_t>()[i] + (i % 9000 == 0 ? 0 : sum);
    ASSERT_EQ(out.values<int64_t>()[i], sum) << i;
  }
}

TEST(Scan, SaysWhereMaximaStand) {
  constexpr int64_t kColumns = 9000;
  Tensor x = randomIntegers<int32_t>({2, kColumns}, -100, 100), out = zeros(x.shape(), DType::Int32),
         places = zeros(x.shape(), DType::Int64);
  expectDone(kernels::scanPlaces(out, places, x, {.kind = "min"}, options()));
  auto values = x.values<int32_t>();
  int64_t best = 0;
  for (int64_t i = 0; i < x.count(); ++i) {
    best = i % kColumns == 0 || values[i] <= values[best] ? i : best;
    ASSERT_EQ(out.values<int32_t>()[i], values[best]) << i;
    ASSERT_EQ(places.values<int64_t>()[i], best % kColumns) << i;
  }
  expectError(kernels::scanPlaces(out, places, x, {.kind = "sum"}, options()),
              "scanPlaces: `kind` is `sum`, but max or min, not reversed, is expected");
  expectError(kernels::scanPlaces(places, places, places, {.kind = "max"}, options()),
              "scanPlaces: `x` has type i64, but integers that int32 holds are expected");
}

TEST(Scan, BeginsAnewAtHeads) {
  constexpr int64_t kColumns = 15000;
  Tensor x = random({1, kColumns}), heads = zeros({1, kColumns}, DType::Int8), out = zeros({1, kColumns});
  std::vector<double> sums(kColumns);
  for (int64_t i = 0; i < kColumns; ++i) {
    heads.values<int8_t>()[i] = i % 6000 == 7;
    sums[i] = x.values<float>()[i] + (i == 0 || i % 6000 == 7 ? 0 : sums[i - 1]);
  }
  expectDone(kernels::scanSegments(out, x, heads, options()));
  expectValues(out, [&](int64_t i) { return sums[i]; }, 1e-3);
}

TEST(Scan, TakesSteps) {
  constexpr int64_t kColumns = 10000;
  Tensor a = random({2, kColumns}, 1), b = random({2, kColumns}, 2), initial = random({2}, 3), h = zeros({2, kColumns});
  for (float &value : a.values<float>())
    value = std::tanh(value);
  std::vector<double> states(h.count());
  for (int64_t i = 0; i < h.count(); ++i)
    states[i] = a.values<float>()[i] * (i % kColumns ? states[i - 1] : initial.values<float>()[i / kColumns]) +
                b.values<float>()[i];
  expectDone(kernels::scanSteps(h, a, b, initial, options()));
  expectValues(h, [&](int64_t i) { return states[i]; }, 1e-4);
}

TEST(Scan, TakesNothing) {
  expectDone(kernels::scan(zeros({0, 5}), zeros({0, 5}), {}, options()));
  expectDone(kernels::scan(zeros({5, 0}), zeros({5, 0}), {}, options()));
}

TEST(Scan, RefusesWhatDoesNotFit) {
  Tensor x = zeros({2, 3});
  expectError(kernels::scan(x, zeros({2, 4}), {}, options()), "scan: `out` has shape [2, 3], but `x` has [2, 4]");
  expectError(kernels::scan(x, x, {.kind = "mean"}, options()),
              "scan: `kind` is `mean`, but sum, prod, max or min is expected");
  Tensor far = Tensor::borrow(x.data(), DType::Fp32, {1, int64_t(1) << 31});
  expectError(kernels::scan(far, far, {}, options()),
              "scan: `x` has 2147483648 elements, but at most 2145386496 can be counted");
  expectError(kernels::scan(x, zeros({2, 3}, DType::Int32), {}, options()),
              "scan: `x` has type i32, but `out` has f32");
  expectError(kernels::scanSegments(x, x, x, options()),
              "scanSegments: `heads` has type f32, but an integer type is expected");
  expectError(kernels::scanSteps(x, x, x, zeros({3}), options()),
              "scanSteps: `initial` has shape [3], but [2] is expected");
}
