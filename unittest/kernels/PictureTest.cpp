// PictureTest.cpp: the wrappers of pooling, interpolate and nms against plain loops.
#include "nereid/kernels/interpolate.hpp"
#include "nereid/kernels/nms.hpp"
#include "nereid/kernels/pooling.hpp"

#include "Reference.h"

#include <numeric>

using namespace nereid;
using namespace nereid::test;

TEST(Pooling, TakesTheLargestOrTheMean) {
  // 3x3 windows, two apart, with padding: [2, 3, 7, 6] becomes [2, 3, 4, 3].
  kernels::PoolOptions pool{.kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1}, .countPadding = false};
  Tensor x = random({2, 3, 7, 6}, 1), out = zeros({2, 3, 4, 3}), mean = zeros(out.shape()),
         gradient = random(out.shape(), 2);
  Tensor index = zeros(out.shape(), DType::Int64), gradX = zeros(x.shape()), gradMean = zeros(x.shape());
  std::vector<double> largest(out.count(), -1e30), means(out.count()), backLargest(x.count()), backMean(x.count());
  for (int64_t i = 0; i < out.count(); ++i) {
    std::vector<int64_t> window;
    for (int64_t tap = 0; tap < 9; ++tap) {
      int64_t row = 2 * (i / 3 % 4) - 1 + tap / 3, column = 2 * (i % 3) - 1 + tap % 3;
      if (row >= 0 && row < 7 && column >= 0 && column < 6)
        window.push_back((i / 12 * 7 + row) * 6 + column);
    }
    int64_t best = window.front();
    for (int64_t at : window) {
      best = x.values<float>()[at] > x.values<float>()[best] ? at : best;
      means[i] += double(x.values<float>()[at]) / static_cast<double>(window.size());
      backMean[at] += gradient.values<float>()[i] / static_cast<double>(window.size());
    }
    largest[i] = x.values<float>()[best];
    backLargest[best] += gradient.values<float>()[i];
  }
  expectDone(kernels::maxPool2d(out, index, x, pool, options()));
  expectDone(kernels::avgPool2d(mean, x, pool, options()));
  expectDone(kernels::maxPool2dBackward(gradX, gradient, index, pool, options()));
  expectDone(kernels::avgPool2dBackward(gradMean, gradient, pool, options()));
  expectValues(out, [&](int64_t i) { return largest[i]; }, 0);
  expectValues(mean, [&](int64_t i) { return means[i]; });
  expectValues(gradX, [&](int64_t i) { return backLargest[i]; });
  expectValues(gradMean, [&](int64_t i) { return backMean[i]; });
  EXPECT_EQ(kernels::pooledSize(6, 3, 2, 0, 1, false), 2);
  EXPECT_EQ(kernels::pooledSize(6, 3, 2, 0, 1, true), 3);
  expectError(kernels::maxPool2d(zeros({2, 3, 4, 4}), {}, x, pool, options()),
              "maxPool2d: `out` has shape [2, 3, 4, 4], but [2, 3, 4, 3] is expected");
}

TEST(Interpolate, IsExactWhereItShouldBe) {
  // A plane a + b y + c x stays one under bilinear interpolation with aligned corners.
  Tensor x = zeros({1, 2, 5, 4}), out = zeros({1, 2, 9, 10});
  for (int64_t i = 0; i < x.count(); ++i)
    x.values<float>()[i] = static_cast<float>(1 + i / 20 + 2 * (i / 4 % 5) - 3 * (i % 4));
  expectDone(kernels::interpolate(out, x, {.kind = "bilinear", .alignCorners = true}, options()));
  expectValues(out, [](int64_t i) { return 1 + i / 90 + 2 * (i / 10 % 9) * 0.5 - 3 * (i % 10) / 3.0; });
  // Twice the size: each place is read by two by two others, whose gradients it gets.
  Tensor large = zeros({1, 2, 10, 8}), gradient = random(large.shape(), 1), gradX = zeros(x.shape());
  expectDone(kernels::interpolate(large, x, {}, options()));
  expectValues(large, [&](int64_t i) { return x.values<float>()[i / 80 * 20 + i / 8 % 10 / 2 * 4 + i % 8 / 2]; }, 0);
  expectDone(kernels::interpolateBackward(gradX, gradient, {}, options()));
  expectValues(gradX, [&](int64_t i) {
    double total = 0;
    for (int64_t tap = 0; tap < 4; ++tap)
      total += gradient.values<float>()[i / 20 * 80 + (2 * (i / 4 % 5) + tap / 2) * 8 + 2 * (i % 4) + tap % 2];
    return total;
  });
  expectError(kernels::interpolate(out, x, {.kind = "cubic"}, options()),
              "interpolate: `kind` is \"cubic\", but \"nearest\", \"nearest-exact\" or \"bilinear\" is expected");
}

TEST(Nms, KeepsTheHighestOfThoseThatOverlap) {
  constexpr int64_t kCount = 150;
  Tensor boxes = zeros({kCount, 4}), corner = randomIntegers<int32_t>({kCount, 4}, 0, 40, 1),
         scores = random({kCount}, 2);
  Tensor keep = zeros({kCount}, DType::Int64), number = zeros({1}, DType::Int32);
  auto box = boxes.values<float>();
  for (int64_t i = 0; i < kCount; ++i)
    for (int64_t axis = 0; axis < 2; ++axis) {
      box[4 * i + axis] = static_cast<float>(corner.values<int32_t>()[4 * i + axis]);
      box[4 * i + 2 + axis] =
          box[4 * i + axis] + 3 + static_cast<float>(corner.values<int32_t>()[4 * i + 2 + axis] % 9);
    }
  std::vector<int64_t> order(kCount), expected;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return scores.values<float>()[a] > scores.values<float>()[b]; });
  for (int64_t i : order) {
    bool stays = true;
    for (int64_t j : expected) {
      double width = std::min(box[4 * i + 2], box[4 * j + 2]) - std::max(box[4 * i], box[4 * j]);
      double height = std::min(box[4 * i + 3], box[4 * j + 3]) - std::max(box[4 * i + 1], box[4 * j + 1]);
      double shared = std::max(width, 0.0) * std::max(height, 0.0), together = -shared;
      for (int64_t each : {i, j})
        together += double(box[4 * each + 2] - box[4 * each]) * (box[4 * each + 3] - box[4 * each + 1]);
      stays = stays && shared <= 0.3 * together;
    }
    if (stays)
      expected.push_back(i);
  }
  expectDone(kernels::nms(keep, number, boxes, scores, 0.3, options()));
  ASSERT_EQ(number.values<int32_t>()[0], static_cast<int32_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(keep.values<int64_t>()[i], expected[i]);
  expectError(kernels::nms(keep, number, zeros({kCount, 3}), scores, 0.3, options()),
              "nms: `boxes` has shape [150, 3], but [150, 4] is expected");
}
