// OptimizerTest.cpp: the wrappers of optimizer and gradient_clip against plain loops.
#include "nereid/kernels/optimizer.hpp"
#include "nereid/kernels/gradient_clip.hpp"

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
