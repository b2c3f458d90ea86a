// QuantizeTest.cpp: the wrappers of the quantization kernels: there and back again, and what is refused.
#include "nereid/kernels/quantize.hpp"
#include "nereid/kernels/microscaling.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kQuantizedRows = 10, kQuantizedColumns = 300;

// The largest magnitude of the block that an element lies in.
static double largest(std::span<float> values, int64_t i, int64_t rows, int64_t columns) {
  int64_t firstRow = i / kQuantizedColumns / rows * rows, firstColumn = i % kQuantizedColumns / columns * columns;
  double result = 0;
  for (int64_t row = firstRow; row < std::min(kQuantizedRows, firstRow + rows); ++row)
    for (int64_t column = firstColumn; column < std::min(kQuantizedColumns, firstColumn + columns); ++column)
      result = std::max(result, std::fabs(double(values[row * kQuantizedColumns + column])));
  return result;
}

// What comes back is at most half a step away: a step is 1/127 of the largest for int8, 1/16 of the value for fp8e4nv.
static void expectNear(const Tensor &out, const Tensor &x, DType type, int64_t rows, int64_t columns) {
  auto values = x.values<float>(), results = out.values<float>();
  for (int64_t i = 0; i < x.count(); ++i) {
    double most = largest(values, i, rows, columns);
    double step = type == DType::Int8 ? most / 127 : std::max(std::fabs(double(values[i])) / 8, most / 448 / 512);
    ASSERT_NEAR(results[i], values[i], step * 0.501) << "at element " << i;
  }
}

TEST(Quantize, GoesThereAndBack) {
  Tensor x = random({kQuantizedRows, kQuantizedColumns}), out = zeros({kQuantizedRows, kQuantizedColumns});
  for (DType type : {DType::Int8, DType::Fp8E4NV}) {
    Tensor q = zeros({kQuantizedRows, kQuantizedColumns}, type), perRow = zeros({kQuantizedRows}), one = zeros({1, 1}),
           perBlock = zeros({1, 3});
    expectDone(kernels::quantizeRows(q, perRow, x, options()));
    expectDone(kernels::dequantize(out, q, perRow.viewed(DType::Fp32, {kQuantizedRows, 1}, {1, 1}), {1}, options()));
    expectNear(out, x, type, 1, kQuantizedColumns);
    expectDone(kernels::quantizeBlocks(q, perBlock, x, 128, options()));
    expectDone(kernels::dequantize(out, q, perBlock, {128, 128}, options()));
    expectNear(out, x, type, 128, 128);
    expectDone(kernels::quantizeTensor(q, one, x, options()));
    expectDone(kernels::dequantize(out, q, one, {}, options()));
    expectNear(out, x, type, kQuantizedRows, kQuantizedColumns);
  }
}

TEST(Quantize, RefusesWhatDoesNotFit) {
  Tensor x = zeros({4, 300}), q = zeros({4, 300}, DType::Int8);
  expectError(kernels::quantizeRows(zeros({4, 300}, DType::Int32), zeros({4}), x, options()),
              "quantizeRows: `q` has type i32, but i8, fp8e4nv or fp8e5 is expected");
  expectError(kernels::quantizeBlocks(q, zeros({1, 2}), x, 128, options()),
              "quantizeBlocks: `scale` has shape [1, 2], but [1, 3] is expected");
  expectError(kernels::dequantize(x, q, zeros({4, 2}), {1, 128}, options()),
              "dequantize: `scale` has shape [4, 2], but [4, 3] is expected");
}

TEST(Microscaling, RoundsToTheNearest) {
  const float grid[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  Tensor x = random({3, 64}), q = zeros({3, 32}, DType::UInt8), scale = zeros({3, 2}, DType::UInt8),
         out = zeros(x.shape());
  expectDone(kernels::microscalingQuantize(q, scale, x, "e2m1", options()));
  expectDone(kernels::microscalingDequantize(out, q, scale, "e2m1", options()));
  auto values = x.values<float>();
  expectValues(
      out,
      [&](int64_t i) {
        float largest = 0, nearest = 0;
        for (int64_t each = i / 32 * 32; each < i / 32 * 32 + 32; ++each)
          largest = std::max(largest, std::fabs(values[each]));
        float step = std::exp2(std::floor(std::log2(largest)) - 2);
        for (float candidate : grid)
          if (std::fabs(std::fabs(values[i]) / step - candidate) < std::fabs(std::fabs(values[i]) / step - nearest))
            nearest = candidate;
        return std::copysign(nearest * step, values[i]);
      },
      0);
  expectError(kernels::microscalingQuantize(q, scale, zeros({3, 40}), "e2m1", options()),
              "microscalingQuantize: `x` has shape [3, 40], but a last axis of groups of 32 is expected");
}
