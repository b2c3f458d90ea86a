// SharedProductTest.cpp: the wrappers of products whose tiles several programs share, skinny_matmul and stream_k_matmul, against plain loops.
#include "nereid/kernels/skinny_matmul.hpp"
#include "nereid/kernels/stream_k_matmul.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

// Row of a times column of b, both contiguous; with isTransposed, row of b.
static double product(const Tensor &a, const Tensor &b, int64_t row, int64_t column, bool isTransposed = false) {
  int64_t depth = a.shape()[1], columns = b.shape()[1];
  auto as = a.values<float>(), bs = b.values<float>();
  double total = 0;
  for (int64_t k = 0; k < depth; ++k)
    total += double(as[row * depth + k]) * bs[isTransposed ? column * depth + k : k * columns + column];
  return total;
}

TEST(SkinnyMatmul, IsAProductWithBiasAndActivation) {
  for (int64_t rows : {1, 20}) {
    Tensor a = random({rows, 600}, 1), weight = random({50, 600}, 2), bias = random({50}, 3), c = zeros({rows, 50});
    Tensor b = Tensor::borrow(weight.data(), DType::Fp32, {600, 50}, {1, 600});
    for (int64_t splits : {0, 1, 3}) {
      expectDone(kernels::skinnyMatmul(c, a, b, {.bias = bias, .activation = "relu", .splits = splits}, options()));
      expectValues(
          c,
          [&](int64_t i) {
            return std::max(0.0, product(a, weight, i / 50, i % 50, true) + bias.values<float>()[i % 50]);
          },
          1e-4);
    }
  }
}

TEST(SkinnyMatmul, LeavesCountersAsTheyWere) {
  Tensor a = random({3, 300}, 1), b = random({300, 100}, 2), c = zeros({3, 100}), counter = zeros({9}, DType::Int32);
  for (int times = 0; times < 2; ++times)
    expectDone(kernels::skinnyMatmul(c, a, b, {.splits = 4, .counter = counter}, options()));
  expectValues(c, [&](int64_t i) { return product(a, b, i / 100, i % 100); }, 1e-4);
  for (int32_t each : counter.values<int32_t>())
    EXPECT_EQ(each, 0);
  expectError(kernels::skinnyMatmul(c, a, b, {.splits = 4, .counter = zeros({1}, DType::Int32)}, options()),
              "skinnyMatmul: `counter` has 1 elements, but 2 are expected");
  expectError(kernels::skinnyMatmul(c, a, a, {}, options()),
              "skinnyMatmul: `a` has shape [3, 300] and `b` has [3, 300]: the inner extents differ");
}

TEST(StreamKMatmul, SharesTilesOfAnyNumber) {
  Tensor a = random({140, 100}, 1), b = random({100, 150}, 2), c = zeros({140, 150});
  for (int64_t programs : {0, 1, 3, 7}) { // 4 tiles of the CPU
    expectDone(kernels::streamKMatmul(c, a, b, {.programs = programs}, options()));
    expectValues(c, [&](int64_t i) { return product(a, b, i / 150, i % 150); }, 1e-4);
  }
  expectDone(kernels::streamKMatmul(zeros({0, 150}), zeros({0, 100}), b, {}, options()));
  expectError(kernels::streamKMatmul(zeros({3, 3}), a, b, {}, options()),
              "streamKMatmul: `c` has shape [3, 3], but [140, 150] is expected");
}
