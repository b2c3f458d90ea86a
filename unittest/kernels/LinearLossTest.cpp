// LinearLossTest.cpp: linearCrossEntropy in chunks against the wrappers of matmul and cross_entropy on all logits; divergence and preference_loss against their formulas.
#include "nereid/kernels/divergence.hpp"
#include "nereid/kernels/linear_cross_entropy.hpp"
#include "nereid/kernels/preference_loss.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

TEST(LinearCrossEntropy, IsAProductAndALoss) {
  constexpr int64_t kRows = 37, kWidth = 40, kClasses = 110;
  Tensor x = random({kRows, kWidth}, 1), weight = random({kClasses, kWidth}, 2);
  Tensor target = randomIntegers<int64_t>({kRows}, 0, kClasses - 1), scale = zeros({1});
  target.values<int64_t>()[5] = -100;
  scale.values<float>()[0] = 0.5F;
  kernels::CrossEntropyOptions entropy{.labelSmoothing = 0.1, .zLoss = 0.001};

  Tensor logits = zeros({kRows, kClasses}), lse = zeros({kRows}), expectedLoss = zeros({kRows}),
         halves = zeros({kRows});
  Tensor grad = zeros({kRows, kClasses}), expectedX = zeros({kRows, kWidth}),
         expectedWeight = zeros({kClasses, kWidth});
  for (float &value : halves.values<float>())
    value = 0.5F;
  expectDone(kernels::matmul(logits, x, weight.viewed(DType::Fp32, {kWidth, kClasses}, {1, kWidth}), {}, options()));
  expectDone(kernels::crossEntropy(expectedLoss, lse, logits, target, entropy, options()));
  expectDone(kernels::crossEntropyBackward(grad, halves, lse, logits, target, entropy, options()));
  expectDone(kernels::matmul(expectedX, grad, weight, {}, options()));
  expectDone(
      kernels::matmul(expectedWeight, grad.viewed(DType::Fp32, {kClasses, kRows}, {1, kClasses}), x, {}, options()));

  for (int64_t chunk : {0, 10, 100}) {
    Tensor loss = zeros({kRows}), gradX = zeros({kRows, kWidth}), gradWeight = zeros({kClasses, kWidth});
    expectDone(kernels::linearCrossEntropy(loss, gradX, gradWeight, x, weight, target,
                                           {.entropy = entropy, .scale = scale, .chunk = chunk}, options()));
    expectValues(loss, [&](int64_t i) { return 0.5 * expectedLoss.values<float>()[i]; });
    expectValues(gradX, [&](int64_t i) { return expectedX.values<float>()[i]; });
    expectValues(gradWeight, [&](int64_t i) { return expectedWeight.values<float>()[i]; });
  }
}

TEST(LinearCrossEntropy, RefusesWhatDoesNotFit) {
  Tensor x = zeros({4, 8}), weight = zeros({10, 9}), target = zeros({4}, DType::Int64), loss = zeros({4});
  expectError(kernels::linearCrossEntropy(loss, x, weight, x, weight, target, {}, options()),
              "linearCrossEntropy: `weight` has shape [10, 9], but [10, 8] is expected");
}

TEST(Divergence, MeetsItsFormulas) {
  constexpr int64_t kRows = 3, kColumns = 50;
  Tensor x = random({kRows, kColumns}, 1), target = random({kRows, kColumns}, 2), loss = zeros({kRows}),
         grad = zeros(x.shape()), ones = zeros({kRows});
  for (float &one : ones.values<float>())
    one = 1;
  auto xs = x.values<float>(), ys = target.values<float>();
  expectDone(kernels::divergence(loss, x, target, {.kind = "jsd", .beta = 0.3}, options()));
  expectDone(kernels::divergenceBackward(grad, ones, x, target, {.kind = "jsd", .beta = 0.3}, options()));
  auto mixed = [&](int64_t i) { return std::log(0.3 * std::exp(ys[i]) + 0.7 * std::exp(xs[i])); };
  auto ofX = [&](int64_t i) { return 0.7 * std::exp(xs[i]) * (xs[i] - mixed(i)); };
  expectValues(
      loss,
      [&](int64_t row) {
        double total = 0;
        for (int64_t i = row * kColumns; i < (row + 1) * kColumns; ++i)
          total += 0.3 * std::exp(ys[i]) * (ys[i] - mixed(i)) + ofX(i);
        return total;
      },
      1e-4);
  expectValues(grad, ofX);
  expectError(kernels::divergence(loss, x, target, {.kind = "js"}, options()),
              "divergence: `kind` is \"js\", but \"kl\", \"kl_log\", \"jsd\" or \"tvd\" is expected");
}

TEST(PreferenceLoss, MeetsItsFormulas) {
  Tensor a = random({20}, 1), b = random({20}, 2), c = random({20}, 3), d = random({20}, 4), loss = zeros({20}),
         grad = zeros({20});
  auto margin = [&](int64_t i) {
    return 0.5 * (double(a.values<float>()[i]) - b.values<float>()[i] - c.values<float>()[i] + d.values<float>()[i]);
  };
  expectDone(kernels::dpoLoss(loss, grad, a, b, c, d, {.beta = 0.5}, options()));
  expectValues(loss, [&](int64_t i) { return std::log1p(std::exp(-margin(i))); });
  expectValues(grad, [&](int64_t i) { return -0.5 / (1 + std::exp(margin(i))); });

  Tensor now = random({2, 10}, 5), old = random({2, 10}, 6), advantages = random({2}, 7), losses = zeros({2, 10}),
         grads = zeros({2, 10});
  expectDone(kernels::grpoLoss(losses, grads, now, advantages, {.old = old}, options()));
  auto free = [&](int64_t i) {
    return std::exp(double(now.values<float>()[i]) - old.values<float>()[i]) * advantages.values<float>()[i / 10];
  };
  auto held = [&](int64_t i) {
    double ratio = std::exp(double(now.values<float>()[i]) - old.values<float>()[i]);
    return std::clamp(ratio, 0.8, 1.2) * advantages.values<float>()[i / 10];
  };
  expectValues(losses, [&](int64_t i) { return -std::min(free(i), held(i)); });
  expectValues(grads, [&](int64_t i) { return free(i) <= held(i) + 1e-6 ? -free(i) : 0; });
  expectError(kernels::grpoLoss(losses, grads, now, a, {}, options()),
              "grpoLoss: `advantages` has shape [20], but [2] is expected");
}
