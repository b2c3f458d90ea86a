// ResidualNormTest.cpp: the wrappers of add_rms_norm and group_norm against plain loops and the wrappers of other norms.
#include "nereid/kernels/add_rms_norm.hpp"
#include "nereid/kernels/group_norm.hpp"
#include "nereid/kernels/layer_norm.hpp"
#include "nereid/kernels/rms_norm.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

TEST(AddRmsNorm, IsASumAndANorm) {
  constexpr int64_t kRows = 9, kColumns = 300;
  Tensor x = random({kRows, kColumns}, 1), residual = random({kRows, kColumns}, 2), weight = random({kColumns}, 3);
  Tensor out = zeros({kRows, kColumns}), sum = zeros({kRows, kColumns}), expected = zeros({kRows, kColumns});
  auto factors = kernels::addRmsNorm(out, sum, x, residual, weight, 1e-6, options());
  ASSERT_TRUE(factors) << factors.error().message;
  auto xs = x.values<float>(), rs = residual.values<float>();
  expectValues(sum, [&](int64_t i) { return double(xs[i]) + rs[i]; });
  ASSERT_TRUE(kernels::rmsNorm(expected, sum, weight, 1e-6, options()));
  expectValues(out, [&](int64_t i) { return expected.values<float>()[i]; });

  Tensor gradOut = random({kRows, kColumns}, 4), gradSum = random({kRows, kColumns}, 5),
         grad = zeros({kRows, kColumns});
  Tensor gradX = zeros({kRows, kColumns}), gradWeight = zeros({kColumns}), other = zeros({kColumns});
  expectDone(kernels::addRmsNormBackward(grad, gradWeight, gradOut, gradSum, sum, weight, *factors, options()));
  expectDone(kernels::rmsNormBackward(gradX, other, gradOut, sum, weight, *factors, options()));
  expectValues(grad, [&](int64_t i) { return double(gradX.values<float>()[i]) + gradSum.values<float>()[i]; });
  expectValues(gradWeight, [&](int64_t i) { return other.values<float>()[i]; });
  expectDone(kernels::addRmsNormBackward(grad, gradWeight, gradOut, {}, sum, weight, *factors, options()));
  expectValues(grad, [&](int64_t i) { return gradX.values<float>()[i]; });
}

TEST(AddRmsNorm, TakesLongRowsInPlace) {
  constexpr int64_t kColumns = 20000;
  Tensor x = random({2, kColumns}, 1), residual = random({2, kColumns}, 2), weight = random({kColumns}, 3);
  Tensor sum = zeros({2, kColumns}), out = zeros({2, kColumns});
  ASSERT_TRUE(kernels::addRmsNorm(out, sum, x, residual, weight, 1e-6, options()));
  ASSERT_TRUE(kernels::addRmsNorm(x, residual, x, residual, weight, 1e-6, options()));
  expectValues(x, [&](int64_t i) { return out.values<float>()[i]; });
  expectValues(residual, [&](int64_t i) { return sum.values<float>()[i]; });
  auto wrong = kernels::addRmsNorm(out, zeros({2, 3}), out, sum, weight, 1e-6, options());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "error: addRmsNorm: `sum` has shape [2, 3], but `x` has [2, 20000]\n");
}

TEST(GroupNorm, IsALayerNormOfGroups) {
  constexpr int64_t kBatch = 2, kChannels = 6, kGroups = 3, kPositions = 50, kRow = kChannels / kGroups * kPositions;
  Shape shape{kBatch, kChannels, kPositions}, flat{kBatch * kGroups, kRow};
  Tensor x = random(shape, 1), gradOut = random(shape, 2), out = zeros(shape), gradX = zeros(shape);
  Tensor gradWeight = zeros({kChannels}), gradBias = zeros({kChannels}), ones = zeros({kRow});
  for (float &value : ones.values<float>())
    value = 1;
  auto moments = kernels::groupNorm(out, x, kGroups, {}, {}, 1e-5, options());
  ASSERT_TRUE(moments) << moments.error().message;
  Tensor rows = x.viewed(DType::Fp32, flat, {kRow, 1}), gradRows = gradOut.viewed(DType::Fp32, flat, {kRow, 1});
  Tensor expected = zeros(flat), gradExpected = zeros(flat), unused = zeros({kRow}), alsoUnused = zeros({kRow});
  auto plain = kernels::layerNorm(expected, rows, ones, {}, 1e-5, options());
  ASSERT_TRUE(plain);
  expectValues(out, [&](int64_t i) { return expected.values<float>()[i]; });
  expectDone(kernels::groupNormBackward(gradX, gradWeight, gradBias, gradOut, x, {}, *moments, options()));
  expectDone(kernels::layerNormBackward(gradExpected, unused, alsoUnused, gradRows, rows, ones, *plain, options()));
  expectValues(gradX, [&](int64_t i) { return gradExpected.values<float>()[i]; });
  auto sumOfChannel = [&](int64_t channel, const std::function<double(int64_t)> &function) {
    double total = 0;
    for (int64_t i = 0; i < x.count(); ++i)
      total += i / kPositions % kChannels == channel ? function(i) : 0;
    return total;
  };
  auto gs = gradOut.values<float>(), ns = expected.values<float>();
  expectValues(gradBias, [&](int64_t c) { return sumOfChannel(c, [&](int64_t i) { return gs[i]; }); });
  expectValues(gradWeight,
               [&](int64_t c) { return sumOfChannel(c, [&](int64_t i) { return double(gs[i]) * ns[i]; }); });

  Tensor weight = random({kChannels}, 3), bias = random({kChannels}, 4);
  ASSERT_TRUE(kernels::groupNorm(out, x, kGroups, weight, bias, 1e-5, options()));
  expectValues(out, [&](int64_t i) {
    int64_t channel = i / kPositions % kChannels;
    return double(ns[i]) * weight.values<float>()[channel] + bias.values<float>()[channel];
  });
  auto wrong = kernels::groupNorm(out, x, 4, {}, {}, 1e-5, options());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "error: groupNorm: 6 channels are no multiple of 4 groups\n");
}
