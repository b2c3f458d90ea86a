// LinearLossTest.cpp: linearCrossEntropy in chunks against the wrappers of matmul and cross_entropy on all logits.
#include "nereid/kernels/linear_cross_entropy.hpp"

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
