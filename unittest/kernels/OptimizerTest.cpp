// OptimizerTest.cpp: the wrappers of optimizer, muon and gradient_clip against plain loops.
#include "nereid/kernels/optimizer.hpp"
#include "nereid/kernels/gradient_clip.hpp"
#include "nereid/kernels/muon.hpp"

#include "Reference.h"

#include <bit>

using namespace nereid;
using namespace nereid::test;

static constexpr int64_t kCount = 3000;

static std::vector<double> wide(const Tensor &tensor) {
  auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

TEST(Optimizer, StepsAsAdamWDoes) {
  Tensor parameter = random({kCount}, 1), mean = zeros({kCount}), square = zeros({kCount}), factor = zeros({1});
  factor.values<float>()[0] = 0.5F;
  std::vector<double> p = wide(parameter), m(kCount), v(kCount);
  for (int64_t step = 1; step <= 3; ++step) {
    Tensor gradient = random({kCount}, static_cast<unsigned>(10 + step));
    expectDone(kernels::adamw(parameter, gradient, mean, square, step, {.rate = 0.01, .factor = factor}, options()));
    std::vector<double> g = wide(gradient);
    for (int64_t i = 0; i < kCount; ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i] * 0.5;
      v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i] * 0.25;
      double root = std::sqrt(v[i] / (1 - std::pow(0.999, step))) + 1e-8;
      p[i] = p[i] * (1 - 0.01 * 0.01) - 0.01 * m[i] / (1 - std::pow(0.9, step)) / root;
    }
  }
  expectValues(parameter, [&](int64_t i) { return p[i]; });
  expectValues(mean, [&](int64_t i) { return m[i]; });
  expectValues(square, [&](int64_t i) { return v[i]; });
  expectError(kernels::adamw(parameter, mean, mean, square, 0, {}, options()),
              "adamw: the step is 0, but steps are counted from 1");
}

TEST(Optimizer, StepsAsLionDoesOnMasterWeights) {
  Tensor parameter = zeros({kCount}, DType::Bf16), master = random({kCount}, 1), gradient = random({kCount}, 2);
  Tensor mean = random({kCount}, 3);
  std::vector<double> p = wide(master), m = wide(mean), g = wide(gradient);
  expectDone(kernels::lion(parameter, gradient, mean, {.rate = 0.01, .beta2 = 0.99, .decay = 0.1, .master = master},
                           options()));
  expectValues(master, [&](int64_t i) {
    double direction = 0.9 * m[i] + 0.1 * g[i];
    return p[i] * (1 - 0.001) - (direction > 0 ? 0.01 : -0.01);
  });
  expectValues(mean, [&](int64_t i) { return 0.99 * m[i] + 0.01 * g[i]; });
  auto bits = reinterpret_cast<const uint16_t *>(parameter.data());
  for (int64_t i = 0; i < kCount; ++i) {
    uint32_t word = uint32_t(bits[i]) << 16;
    float value = std::bit_cast<float>(word);
    ASSERT_NEAR(value, master.values<float>()[i], std::fabs(value) / 200 + 1e-6) << "at element " << i;
  }
  expectError(kernels::lion(zeros({4}), zeros({5}), zeros({4}), {}, options()),
              "lion: `gradient` has shape [5], but `parameter` has [4]");
}

TEST(Optimizer, StepsAsAdamWDoesWithEightBits) {
  // What is stored is near to what was computed; the next step begins with it.
  Tensor parameter = random({kCount}, 1), mean = zeros({kCount}, DType::UInt8), square = zeros({kCount}, DType::UInt8);
  Tensor meanScale = zeros({94}), squareScale = zeros({94});
  std::vector<double> p = wide(parameter), m(kCount), v(kCount);
  for (int64_t step = 1; step <= 2; ++step) {
    Tensor gradient = random({kCount}, static_cast<unsigned>(10 + step));
    std::vector<double> g = wide(gradient);
    expectDone(kernels::adamw8Bit(parameter, gradient, mean, square, meanScale, squareScale, step, {.rate = 0.01}, 32,
                                  options()));
    for (int64_t i = 0; i < kCount; ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i];
      v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
      double root = std::sqrt(v[i] / (1 - std::pow(0.999, step))) + 1e-8;
      p[i] = p[i] * (1 - 0.01 * 0.01) - 0.01 * m[i] / (1 - std::pow(0.9, step)) / root;
    }
    expectValues(parameter, [&](int64_t i) { return p[i]; });
    auto meanValues = kernels::dynamicValues(true), squareValues = kernels::dynamicValues(false);
    for (int64_t i = 0; i < kCount; ++i) {
      double storedMean = meanValues[mean.values<uint8_t>()[i]] * meanScale.values<float>()[i / 32];
      double storedSquare = squareValues[square.values<uint8_t>()[i]] * squareScale.values<float>()[i / 32];
      ASSERT_NEAR(storedMean, m[i], 0.01 * meanScale.values<float>()[i / 32]) << "at element " << i;
      ASSERT_NEAR(storedSquare, v[i], 0.01 * squareScale.values<float>()[i / 32]) << "at element " << i;
      m[i] = storedMean;
      v[i] = storedSquare;
    }
  }
  expectError(kernels::adamw8Bit(parameter, parameter, mean, square, meanScale, squareScale, 1, {}, 256, options()),
              "adamw8Bit: `meanScale` has shape [94], but [12] is expected");
}

TEST(Muon, MakesStepsOrthogonal) {
  // With the coefficients of 1.5 s - 0.5 s^3 singular values go to 1 themselves.
  Tensor x = random({2, 5, 40}, 1), out = zeros({2, 5, 40});
  kernels::NewtonSchulzOptions exact{.steps = 20, .coefficients = {1.5, -0.5, 0}};
  expectDone(kernels::newtonSchulz(out, x, exact, options()));
  for (int64_t batch = 0; batch < 2; ++batch)
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 5; ++j) {
        double total = 0;
        for (int64_t k = 0; k < 40; ++k)
          total +=
              double(out.values<float>()[(batch * 5 + i) * 40 + k]) * out.values<float>()[(batch * 5 + j) * 40 + k];
        ASSERT_NEAR(total, i == j, 1e-4);
      }
  // A step from zero along the gradient: the same matrix, by columns here.
  Tensor gradient = zeros({40, 5}), parameter = zeros({40, 5}), momentum = zeros({40, 5});
  for (int64_t i = 0; i < 200; ++i)
    gradient.values<float>()[i % 40 * 5 + i / 40] = x.values<float>()[i];
  expectDone(kernels::muon(parameter, gradient, momentum, {.rate = 0.5, .newtonSchulz = exact}, options()));
  expectValues(
      parameter, [&](int64_t i) { return -0.5 * std::sqrt(8.0) * out.values<float>()[i % 5 * 40 + i / 5]; }, 1e-4);
  expectValues(momentum, [&](int64_t i) { return 0.05 * gradient.values<float>()[i]; });
  expectError(kernels::newtonSchulz(zeros({5}), zeros({5}), {}, options()),
              "newtonSchulz: `x` has shape [5], but a matrix or a batch of them is expected");
}

TEST(GradientClip, MovesTheScaleOfALoss) {
  Tensor norm = zeros({1}), factor = zeros({1}), scale = zeros({1}), good = zeros({1}, DType::Int32);
  scale.values<float>()[0] = 8;
  std::vector<Tensor> gradients{random({50, 40}, 1)};
  double total = 0;
  for (double value : wide(gradients[0]))
    total += value * value;
  expectDone(kernels::scaledGradientNorm(norm, factor, scale, good, gradients, {.interval = 2}, options()));
  expectValues(norm, [&](int64_t) { return std::sqrt(total) / 8; });
  expectValues(factor, [](int64_t) { return 0.125; });
  EXPECT_EQ(good.values<int32_t>()[0], 1);
  expectDone(kernels::scaledGradientNorm(norm, factor, scale, good, gradients, {.interval = 2}, options()));
  expectValues(scale, [](int64_t) { return 16; });
  gradients[0].values<float>()[7] = std::numeric_limits<float>::infinity();
  expectDone(kernels::scaledGradientNorm(norm, factor, scale, good, gradients, {.interval = 2}, options()));
  expectValues(scale, [](int64_t) { return 8; });
  expectValues(factor, [](int64_t) { return 0; });
  Tensor parameter = random({50, 40}, 2), before = random({50, 40}, 2), mean = zeros({50, 40});
  expectDone(kernels::lion(parameter, gradients[0], mean, {.factor = factor}, options()));
  expectValues(parameter, [&](int64_t i) { return before.values<float>()[i]; }, 0);
}

TEST(GradientClip, ScalesToTheLargestNorm) {
  std::vector<Tensor> gradients{random({50, 40}, 1), random({7}, 2), zeros({0})};
  std::vector<double> before = wide(gradients[0]);
  double total = 0;
  for (const Tensor &gradient : gradients)
    for (double value : wide(gradient))
      total += value * value;
  Tensor norm = zeros({1}), factor = zeros({1});
  expectDone(kernels::gradientNorm(norm, factor, gradients, 1e6, options()));
  expectValues(norm, [&](int64_t) { return std::sqrt(total); });
  expectValues(factor, [](int64_t) { return 1; });
  expectDone(kernels::clipGradients(norm, gradients, 0.5, options()));
  expectValues(norm, [&](int64_t) { return std::sqrt(total); });
  expectValues(gradients[0], [&](int64_t i) { return before[i] * 0.5 / (std::sqrt(total) + 1e-6); });
  expectError(kernels::clipGradients(zeros({2}), gradients, 0.5, options()),
              "gradientNorm: `norm` has shape [2], but [1] is expected");
}
