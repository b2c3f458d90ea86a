// NormTest.cpp: the wrappers of softmax, layer_norm, rms_norm and dynamic_tanh against plain loops.
#include "nereid/kernels/batch_norm.hpp"
#include "nereid/kernels/dynamic_tanh.hpp"
#include "nereid/kernels/layer_norm.hpp"
#include "nereid/kernels/rms_norm.hpp"
#include "nereid/kernels/softmax.hpp"

#include "Reference.h"

#include <algorithm>

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kRows = 9, kColumns = 300;

// A sum over one row of a function of the column.
static double rowSum(const std::function<double(int64_t)> &function, int64_t columns = kColumns) {
  double total = 0;
  for (int64_t i = 0; i < columns; ++i)
    total += function(i);
  return total;
}

TEST(Softmax, ComputesRowsAndColumns) {
  Tensor x = random({kRows, kColumns}), out = zeros({kRows, kColumns});
  auto values = x.values<float>();
  expectDone(kernels::softmax(out, x, 1, options()));
  expectValues(out, [&](int64_t i) {
    const float *row = &values[i / kColumns * kColumns];
    return std::exp(values[i]) / rowSum([&](int64_t j) { return std::exp(row[j]); });
  });
  expectDone(kernels::softmax(out, x, 0, options()));
  expectValues(out, [&](int64_t i) {
    return std::exp(values[i]) /
           rowSum([&](int64_t j) { return std::exp(values[j * kColumns + i % kColumns]); }, kRows);
  });
}

TEST(Softmax, TakesLongRows) {
  constexpr int64_t kLong = 20000;
  Tensor x = random({2, kLong}), out = zeros({2, kLong});
  expectDone(kernels::softmax(out, x, 1, options()));
  auto values = x.values<float>();
  double totals[2];
  for (int64_t row : {0, 1})
    totals[row] = rowSum([&](int64_t j) { return std::exp(values[row * kLong + j]); }, kLong);
  expectValues(out, [&](int64_t i) { return std::exp(values[i]) / totals[i / kLong]; }, 1e-7);
}

TEST(Softmax, ComputesTheGradient) {
  Tensor out = random({kRows, kColumns}, 1), gradOut = random({kRows, kColumns}, 2), gradX = zeros({kRows, kColumns});
  expectDone(kernels::softmaxBackward(gradX, gradOut, out, options()));
  auto ps = out.values<float>(), gs = gradOut.values<float>();
  expectValues(gradX, [&](int64_t i) {
    int64_t start = i / kColumns * kColumns;
    return ps[i] * (gs[i] - rowSum([&](int64_t j) { return double(ps[start + j]) * gs[start + j]; }));
  });
}

TEST(Softmax, RefusesWhatDoesNotFit) {
  expectError(kernels::softmax(zeros({2, 3}), zeros({2, 4}), 1, options()),
              "softmax: `out` has shape [2, 3], but `x` has [2, 4]");
  expectError(kernels::softmax(zeros({2, 3}), zeros({2, 3}, DType::Int32), 1, options()),
              "softmax: `x` has type i32, but f32, f16 or bf16 is expected");
}

TEST(LayerNorm, ComputesForwardAndBackward) {
  Tensor x = random({kRows, kColumns}, 1), weight = random({kColumns}, 2), bias = random({kColumns}, 3);
  Tensor out = zeros({kRows, kColumns}), gradOut = random({kRows, kColumns}, 4);
  auto moments = kernels::layerNorm(out, x, weight, bias, 1e-5, options());
  ASSERT_TRUE(moments) << moments.error().message;
  auto xs = x.values<float>(), ws = weight.values<float>(), bs = bias.values<float>(), gs = gradOut.values<float>();
  std::vector<double> mean(kRows), rstd(kRows);
  for (int64_t row = 0; row < kRows; ++row) {
    const float *values = &xs[row * kColumns];
    mean[row] = rowSum([&](int64_t j) { return values[j]; }) / kColumns;
    double variance = rowSum([&](int64_t j) { return std::pow(values[j] - mean[row], 2); }) / kColumns;
    rstd[row] = 1 / std::sqrt(variance + 1e-5);
  }
  auto normal = [&](int64_t i) { return (xs[i] - mean[i / kColumns]) * rstd[i / kColumns]; };
  expectValues(out, [&](int64_t i) { return normal(i) * ws[i % kColumns] + bs[i % kColumns]; });

  Tensor gradX = zeros({kRows, kColumns}), gradWeight = zeros({kColumns}), gradBias = zeros({kColumns});
  expectDone(kernels::layerNormBackward(gradX, gradWeight, gradBias, gradOut, x, weight, *moments, options()));
  expectValues(gradWeight, [&](int64_t j) {
    return rowSum([&](int64_t row) { return gs[row * kColumns + j] * normal(row * kColumns + j); }, kRows);
  });
  expectValues(gradBias, [&](int64_t j) { return rowSum([&](int64_t row) { return gs[row * kColumns + j]; }, kRows); });
  expectValues(gradX, [&](int64_t i) {
    int64_t start = i / kColumns * kColumns;
    auto scaled = [&](int64_t j) { return double(gs[start + j]) * ws[j]; };
    double along = rowSum([&](int64_t j) { return scaled(j) * normal(start + j); }) / kColumns;
    return (scaled(i - start) - normal(i) * along - rowSum(scaled) / kColumns) * rstd[i / kColumns];
  });
}

TEST(LayerNorm, NeedsNoBias) {
  Tensor x = random({3, 5}), weight = random({5}), out = zeros({3, 5});
  auto done = kernels::layerNorm(out, x, weight, std::nullopt, 1e-5, options());
  ASSERT_TRUE(done) << done.error().message;
  auto wrong = kernels::layerNorm(out, x, zeros({4}), std::nullopt, 1e-5, options());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "error: layerNorm: `weight` has shape [4], but [5] is expected\n");
}

TEST(RmsNorm, ComputesForwardAndBackward) {
  Tensor x = random({kRows, kColumns}, 1), weight = random({kColumns}, 2), out = zeros({kRows, kColumns});
  Tensor gradOut = random({kRows, kColumns}, 3), gradX = zeros({kRows, kColumns}), gradWeight = zeros({kColumns});
  auto factors = kernels::rmsNorm(out, x, weight, 1e-6, options());
  ASSERT_TRUE(factors) << factors.error().message;
  auto xs = x.values<float>(), ws = weight.values<float>(), gs = gradOut.values<float>();
  auto rstd = [&](int64_t row) {
    return 1 / std::sqrt(rowSum([&](int64_t j) { return std::pow(xs[row * kColumns + j], 2); }) / kColumns + 1e-6);
  };
  expectValues(out, [&](int64_t i) { return xs[i] * rstd(i / kColumns) * ws[i % kColumns]; });

  expectDone(kernels::rmsNormBackward(gradX, gradWeight, gradOut, x, weight, *factors, options()));
  expectValues(gradWeight, [&](int64_t j) {
    return rowSum([&](int64_t row) { return gs[row * kColumns + j] * xs[row * kColumns + j] * rstd(row); }, kRows);
  });
  expectValues(gradX, [&](int64_t i) {
    int64_t row = i / kColumns, start = row * kColumns;
    double factor = rstd(row);
    double along = rowSum([&](int64_t j) { return double(gs[start + j]) * ws[j] * xs[start + j] * factor; }) / kColumns;
    return (double(gs[i]) * ws[i - start] - xs[i] * factor * along) * factor;
  });
}

TEST(BatchNorm, NormsChannelsOverTheBatch) {
  constexpr int64_t kBatch = 3, kChannels = 4, kPlaces = 20, kCount = kBatch * kPlaces;
  Shape shape{kBatch, kChannels, kPlaces};
  Tensor x = random(shape, 1), gradOut = random(shape, 2), weight = random({kChannels}, 3),
         bias = random({kChannels}, 4), out = zeros(shape), gradX = zeros(shape);
  Tensor mean = zeros({kChannels}), rstd = zeros({kChannels}), gradWeight = zeros({kChannels}),
         gradBias = zeros({kChannels});
  expectDone(kernels::batchNorm(out, mean, rstd, x, weight, bias, {}, options()));
  expectDone(kernels::batchNormBackward(gradX, gradWeight, gradBias, gradOut, x, mean, rstd, weight, {}, options()));
  auto xs = x.values<float>(), gs = gradOut.values<float>();
  auto channelOf = [](int64_t i) { return i / kPlaces % kChannels; };
  auto sum = [&](int64_t channel, const std::function<double(int64_t)> &value) {
    double total = 0;
    for (int64_t i = 0; i < kBatch * kChannels * kPlaces; ++i)
      total += channelOf(i) == channel ? value(i) : 0;
    return total;
  };
  std::vector<double> means, factors, sums, products;
  for (int64_t channel = 0; channel < kChannels; ++channel) {
    double center = sum(channel, [&](int64_t i) { return xs[i]; }) / kCount;
    double factor =
        1 / std::sqrt(sum(channel, [&](int64_t i) { return (xs[i] - center) * (xs[i] - center); }) / kCount + 1e-5);
    means.push_back(center), factors.push_back(factor);
    sums.push_back(sum(channel, [&](int64_t i) { return gs[i]; }));
    products.push_back(sum(channel, [&](int64_t i) { return gs[i] * (xs[i] - center) * factor; }));
  }
  auto normal = [&](int64_t i) { return (xs[i] - means[channelOf(i)]) * factors[channelOf(i)]; };
  expectValues(out, [&](int64_t i) {
    return normal(i) * weight.values<float>()[channelOf(i)] + bias.values<float>()[channelOf(i)];
  });
  expectValues(gradBias, [&](int64_t i) { return sums[i]; }, 1e-4);
  expectValues(gradWeight, [&](int64_t i) { return products[i]; }, 1e-4);
  expectValues(
      gradX,
      [&](int64_t i) {
        int64_t channel = channelOf(i);
        return (gs[i] - (sums[channel] + normal(i) * products[channel]) / kCount) * factors[channel] *
               weight.values<float>()[channel];
      },
      1e-4);
  expectError(kernels::batchNorm(out, zeros({3}), rstd, x, weight, bias, {}, options()),
              "batchNorm: `mean` has shape [3], but [4] is expected");
}

TEST(Softmax, HasALogarithmAndASparseForm) {
  constexpr int64_t kRows = 5, kColumns = 60;
  Tensor x = random({kRows, kColumns}, 1), out = zeros(x.shape()), gradient = random(x.shape(), 2),
         gradX = zeros(x.shape());
  auto row = [](const Tensor &tensor, int64_t i) {
    return tensor.values<float>().subspan(i / kColumns * kColumns, kColumns);
  };
  expectDone(kernels::logSoftmax(out, x, options()));
  expectValues(out, [&](int64_t i) {
    double total = 0;
    for (float value : row(x, i))
      total += std::exp(double(value));
    return x.values<float>()[i] - std::log(total);
  });
  expectDone(kernels::logSoftmaxBackward(gradX, gradient, out, options()));
  expectValues(gradX, [&](int64_t i) {
    double total = 0;
    for (float value : row(gradient, i))
      total += value;
    return gradient.values<float>()[i] - std::exp(double(out.values<float>()[i])) * total;
  });
  expectDone(kernels::sparsemax(out, x, options()));
  expectValues(out, [&](int64_t i) { // the threshold by halving
    double largest = std::ranges::max(row(x, i)), low = largest - 1, high = largest;
    for (int step = 0; step < 60; ++step) {
      double middle = (low + high) / 2, total = 0;
      for (float value : row(x, i))
        total += std::max(value - middle, 0.0);
      (total > 1 ? low : high) = middle;
    }
    return std::max(x.values<float>()[i] - low, 0.0);
  });
  expectDone(kernels::sparsemaxBackward(gradX, gradient, out, options()));
  expectValues(gradX, [&](int64_t i) {
    double total = 0, count = 0;
    for (int64_t j = i / kColumns * kColumns; j < (i / kColumns + 1) * kColumns; ++j)
      if (out.values<float>()[j] > 0)
        total += gradient.values<float>()[j], ++count;
    return out.values<float>()[i] > 0 ? gradient.values<float>()[i] - total / count : 0;
  });
  expectError(kernels::sparsemax(zeros({2, 3}), zeros({2, 4}), options()),
              "sparsemax: `out` has shape [2, 3], but `x` has [2, 4]");
}

TEST(DynamicTanh, HasItsGradients) {
  constexpr int64_t kRows = 37, kColumns = 50;
  Tensor x = random({kRows, kColumns}, 1), weight = random({kColumns}, 2), bias = random({kColumns}, 3),
         alpha = zeros({1});
  Tensor out = zeros(x.shape()), gradient = random(x.shape(), 4), gradX = zeros(x.shape());
  Tensor gradAlpha = zeros({1}), gradWeight = zeros({kColumns}), gradBias = zeros({kColumns});
  alpha.values<float>()[0] = 0.7F;
  expectDone(kernels::dynamicTanh(out, x, alpha, weight, bias, options()));
  expectDone(
      kernels::dynamicTanhBackward(gradX, gradAlpha, gradWeight, gradBias, gradient, x, alpha, weight, options()));
  std::vector<double> ofWeight(kColumns), ofBias(kColumns);
  double ofAlpha = 0;
  auto squashed = [&](int64_t i) { return std::tanh(0.7F * double(x.values<float>()[i])); };
  auto slope = [&](int64_t i) {
    return gradient.values<float>()[i] * double(weight.values<float>()[i % kColumns]) * (1 - squashed(i) * squashed(i));
  };
  for (int64_t i = 0; i < x.count(); ++i) {
    ofWeight[i % kColumns] += gradient.values<float>()[i] * squashed(i);
    ofBias[i % kColumns] += gradient.values<float>()[i];
    ofAlpha += slope(i) * x.values<float>()[i];
  }
  expectValues(out, [&](int64_t i) {
    return weight.values<float>()[i % kColumns] * squashed(i) + bias.values<float>()[i % kColumns];
  });
  expectValues(gradX, [&](int64_t i) { return slope(i) * 0.7F; });
  expectValues(gradWeight, [&](int64_t i) { return ofWeight[i]; });
  expectValues(gradBias, [&](int64_t i) { return ofBias[i]; });
  expectValues(gradAlpha, [&](int64_t) { return ofAlpha; }, 1e-4);
  expectError(kernels::dynamicTanh(out, x, weight, weight, {}, options()),
              "dynamicTanh: `alpha` has shape [50], but [1] is expected");
}
