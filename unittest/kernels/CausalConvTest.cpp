// CausalConvTest.cpp: the wrappers of causal_conv1d against plain loops, at once and step by step.
#include "nereid/kernels/causal_conv1d.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kConvBatch = 2, kChannels = 6, kConvLength = 70, kWidth = 4;
static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The sum before the activation, by the number of an element; elements before the first come from the state.
struct PlainConvolution {
  std::span<float> x, weight, bias, state;
  double input(int64_t row, int64_t t) const {
    return t >= kConvLength ? 0 : t >= 0 ? x[row * kConvLength + t] : state[row * (kWidth - 1) + t + kWidth - 1];
  }
  double at(int64_t row, int64_t t) const {
    double total = bias[row % kChannels];
    for (int64_t w = 0; w < kWidth; ++w)
      total += weight[row % kChannels * kWidth + w] * input(row, t - (kWidth - 1) + w);
    return total;
  }
};

struct CausalConv : testing::Test {
  Tensor x = random({kConvBatch, kChannels, kConvLength}, 1), weight = random({kChannels, kWidth}, 2);
  Tensor bias = random({kChannels}, 3), state = random({kConvBatch, kChannels, kWidth - 1}, 4);
  Tensor out = zeros({kConvBatch, kChannels, kConvLength});
  PlainConvolution plain{x.values<float>(), weight.values<float>(), bias.values<float>(), state.values<float>()};
  double expected(int64_t i) const {
    double y = plain.at(i / kConvLength, i % kConvLength);
    return y * sigmoid(y);
  }
};

TEST_F(CausalConv, ComputesForwardAndBackward) {
  expectDone(kernels::causalConv1d(out, x, weight, {.bias = bias, .state = state}, options()));
  expectValues(out, [&](int64_t i) { return expected(i); });
  Tensor gradOut = random(x.shape(), 5), gradX = zeros(x.shape()), gradWeight = zeros({kWidth + 1, kChannels});
  expectDone(
      kernels::causalConv1dBackward(gradX, gradWeight, gradOut, x, weight, {.bias = bias, .state = state}, options()));
  auto slope = [&](int64_t row, int64_t t) {
    double y = t < kConvLength ? plain.at(row, t) : 0, s = sigmoid(y);
    return t < kConvLength ? gradOut.values<float>()[row * kConvLength + t] * s * (1 + y * (1 - s)) : 0;
  };
  expectValues(gradX, [&](int64_t i) {
    double total = 0;
    for (int64_t w = 0; w < kWidth; ++w)
      total += plain.weight[i / kConvLength % kChannels * kWidth + w] *
               slope(i / kConvLength, i % kConvLength + kWidth - 1 - w);
    return total;
  });
  expectValues(
      gradWeight,
      [&](int64_t i) {
        double total = 0;
        for (int64_t row = i % kChannels; row < kConvBatch * kChannels; row += kChannels)
          for (int64_t t = 0; t < kConvLength; ++t)
            total += slope(row, t) * (i / kChannels == kWidth ? 1 : plain.input(row, t - (kWidth - 1) + i / kChannels));
        return total;
      },
      1e-4);
}

TEST_F(CausalConv, TakesChannelsAsTheLastAxis) {
  Tensor turned = zeros({kConvBatch, kConvLength, kChannels}), result = zeros({kConvBatch, kConvLength, kChannels});
  auto place = [](int64_t i) {
    return (i / (kChannels * kConvLength) * kConvLength + i % kConvLength) * kChannels + i / kConvLength % kChannels;
  };
  for (int64_t i = 0; i < x.count(); ++i)
    turned.values<float>()[place(i)] = x.values<float>()[i];
  auto view = [](const Tensor &tensor) {
    return tensor.viewed(DType::Fp32, {kConvBatch, kChannels, kConvLength}, {kConvLength * kChannels, 1, kChannels});
  };
  expectDone(kernels::causalConv1d(view(result), view(turned), weight, {.bias = bias, .state = state}, options()));
  for (int64_t i = 0; i < x.count(); ++i)
    ASSERT_NEAR(result.values<float>()[place(i)], expected(i), 1e-5) << "at element " << i;
}

TEST_F(CausalConv, StepsOneByOne) {
  Tensor moving = zeros(state.shape()), one = zeros({kConvBatch, kChannels}), result = zeros({kConvBatch, kChannels});
  std::copy(plain.state.begin(), plain.state.end(), moving.values<float>().begin());
  for (int64_t t = 0; t < 6; ++t) {
    for (int64_t row = 0; row < kConvBatch * kChannels; ++row)
      one.values<float>()[row] = plain.x[row * kConvLength + t];
    expectDone(kernels::causalConv1dUpdate(result, one, weight, {.bias = bias, .state = moving}, options()));
    expectValues(result, [&](int64_t row) { return expected(row * kConvLength + t); });
  }
  expectError(kernels::causalConv1dUpdate(result, one, weight, {}, options()),
              "causalConv1dUpdate: `state` is missing");
  expectError(kernels::causalConv1d(out, x, zeros({kChannels, 9}), {}, options()),
              "causalConv1d: the width is 9, but 1 to 8 is expected");
}
