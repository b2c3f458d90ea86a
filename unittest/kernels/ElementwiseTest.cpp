// ElementwiseTest.cpp: the wrappers of elementwise against plain loops.
#include "nereid/kernels/elementwise.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

TEST(Elementwise, ComputesEachFunction) {
  Tensor x = random({3, 1777}, 1), y = random({3, 1777}, 2), z = random({3, 1777}, 3), out = zeros({3, 1777});
  auto a = x.values<float>(), b = y.values<float>(), c = z.values<float>();
  expectDone(kernels::add(out, x, y, options()));
  expectValues(out, [&](int64_t i) { return double(a[i]) + b[i]; });
  expectDone(kernels::multiply(out, x, y, options()));
  expectValues(out, [&](int64_t i) { return double(a[i]) * b[i]; });
  expectDone(kernels::fma(out, x, y, z, options()));
  expectValues(out, [&](int64_t i) { return double(a[i]) * b[i] + c[i]; });
  expectDone(kernels::relu(out, x, options()));
  expectValues(out, [&](int64_t i) { return std::max(0.0, double(a[i])); });
  expectDone(kernels::gelu(out, x, options()));
  expectValues(out, [&](int64_t i) { return 0.5 * a[i] * (1 + std::erf(a[i] / std::sqrt(2.0))); });
  expectDone(kernels::silu(out, x, options()));
  expectValues(out, [&](int64_t i) { return a[i] / (1 + std::exp(-double(a[i]))); });
  expectDone(kernels::binary(out, x, y, "less", options()));
  expectValues(out, [&](int64_t i) { return a[i] < b[i]; }, 0);
  expectDone(kernels::ternary(out, x, y, z, "lerp", options()));
  expectValues(out, [&](int64_t i) { return a[i] + double(c[i]) * (b[i] - double(a[i])); });
  expectDone(kernels::unary(out, x, "cos", options()));
  expectValues(out, [&](int64_t i) { return std::cos(double(a[i])); });
}

TEST(Elementwise, DoesNothingForNothing) { expectDone(kernels::add(zeros({0}), zeros({0}), zeros({0}), options())); }

TEST(Elementwise, RefusesWhatDoesNotFit) {
  expectError(kernels::add(zeros({4}), zeros({4}), zeros({5}), options()), "add: `out` has shape [4], but `y` has [5]");
  expectError(kernels::relu(zeros({4, 3}), zeros({3, 4}).transposed(), options()),
              "relu: `x` has strides [1, 4], but must be contiguous: [3, 1]");
  auto unknown = kernels::unary(zeros({4}), zeros({4}), "no_such_function", options());
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("no_such_function"), std::string::npos) << unknown.error().message;
}
