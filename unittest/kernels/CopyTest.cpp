// CopyTest.cpp: the wrappers of transpose and strided_copy against plain loops.
#include "nereid/kernels/strided_copy.hpp"
#include "nereid/kernels/transpose.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

TEST(Transpose, TurnsMatrices) {
  Tensor x = random({70, 130}), out = zeros({130, 70});
  expectDone(kernels::transpose(out, x, options()));
  expectValues(out, [&](int64_t i) { return x.values<float>()[i % 70 * 130 + i / 70]; }, 0);
}

TEST(Transpose, TurnsBatches) {
  Tensor x = random({3, 5, 7}), out = zeros({3, 7, 5});
  expectDone(kernels::transpose(out, x, options()));
  expectValues(out, [&](int64_t i) { return x.values<float>()[i / 35 * 35 + i % 5 * 7 + i % 35 / 5]; }, 0);
  expectError(kernels::transpose(zeros({3, 5, 7}), x, options()),
              "transpose: `out` has shape [3, 5, 7], but [3, 7, 5] is expected");
}

TEST(StridedCopy, CopiesBetweenStrides) {
  Tensor x = random({4, 6, 5, 8}), out = zeros({8, 5, 6, 4});
  expectDone(kernels::stridedCopy(out, x.transposed(), options()));
  auto values = x.values<float>();
  expectValues(
      out,
      [&](int64_t i) {
        int64_t a = i % 4, b = i / 4 % 6, c = i / 24 % 5, d = i / 120;
        return values[((a * 6 + b) * 5 + c) * 8 + d];
      },
      0);
}

TEST(StridedCopy, JoinsAxes) {
  Tensor x = random({2, 3, 4, 5, 6, 7}), out = zeros({2, 3, 4, 5, 6, 7});
  expectDone(kernels::stridedCopy(out, x, options()));
  expectValues(out, [&](int64_t i) { return x.values<float>()[i]; }, 0);
  Tensor one = random({1, 1}), copy = zeros({1, 1});
  expectDone(kernels::stridedCopy(copy, one, options()));
  EXPECT_EQ(copy.values<float>()[0], one.values<float>()[0]);
  expectDone(kernels::stridedCopy(zeros({0, 3}), zeros({0, 3}), options()));
}

TEST(StridedCopy, Broadcasts) {
  Tensor row = random({33}), out = zeros({5, 33});
  expectDone(kernels::stridedCopy(out, row.viewed(DType::Fp32, {5, 33}, {0, 1}), options()));
  expectValues(out, [&](int64_t i) { return row.values<float>()[i % 33]; }, 0);
}
