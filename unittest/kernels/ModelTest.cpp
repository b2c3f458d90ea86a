// ModelTest.cpp: the wrappers of swiglu, geglu, rope, dropout and cross_entropy against plain loops.
#include "nereid/kernels/cross_entropy.hpp"
#include "nereid/kernels/dropout.hpp"
#include "nereid/kernels/geglu.hpp"
#include "nereid/kernels/rope.hpp"
#include "nereid/kernels/swiglu.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

// A function and its slope, by a central difference in double precision.
static double slope(const std::function<double(double)> &function, double x) {
  return (function(x + 1e-5) - function(x - 1e-5)) / 2e-5;
}

TEST(Gated, ComputesSwigluAndGeglu) {
  auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  auto gelu = [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); };
  auto geluTanh = [](double x) { return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); };
  Tensor both = random({5, 140}, 1), gradOut = random({5, 70}, 2), out = zeros({5, 70});
  Tensor gradGate = zeros({5, 70}), gradUp = zeros({5, 70});
  Tensor gate = both.viewed(DType::Fp32, {5, 70}, {140, 1}); // the two halves of one matrix
  Tensor up = Tensor::borrow(both.data() + 70 * sizeof(float), DType::Fp32, {5, 70}, {140, 1});
  auto values = both.values<float>(), gradients = gradOut.values<float>();
  auto g = [&](int64_t i) { return double(values[i / 70 * 140 + i % 70]); };
  auto u = [&](int64_t i) { return double(values[i / 70 * 140 + 70 + i % 70]); };
  auto check = [&](const std::function<double(double)> &activation) {
    expectValues(out, [&](int64_t i) { return activation(g(i)) * u(i); });
    expectValues(gradUp, [&](int64_t i) { return gradients[i] * activation(g(i)); });
    expectValues(gradGate, [&](int64_t i) { return gradients[i] * u(i) * slope(activation, g(i)); });
  };
  expectDone(kernels::swiglu(out, gate, up, options()));
  expectDone(kernels::swigluBackward(gradGate, gradUp, gradOut, gate, up, options()));
  check(silu);
  for (bool tanh : {false, true}) {
    expectDone(kernels::geglu(out, gate, up, tanh, options()));
    expectDone(kernels::gegluBackward(gradGate, gradUp, gradOut, gate, up, tanh, options()));
    check(tanh ? std::function<double(double)>(geluTanh) : gelu);
  }
  expectError(kernels::swiglu(zeros({5, 7}), gate, up, options()),
              "swiglu: `out` has shape [5, 7], but `gate` has [5, 70]");
}

TEST(Rope, TurnsAndTurnsBack) {
  constexpr int64_t kLength = 6, kHeads = 3, kDim = 20, kHalf = 10;
  Tensor x = random({2, kLength, kHeads, kDim}, 1), out = zeros(x.shape()), back = zeros(x.shape());
  Tensor cos = zeros({kLength + 2, kHalf}), sin = zeros({kLength + 2, kHalf});
  for (int64_t i = 0; i < cos.count(); ++i) {
    double angle = (i / kHalf) * std::pow(10000.0, -double(i % kHalf) / kHalf);
    cos.values<float>()[i] = std::cos(angle), sin.values<float>()[i] = std::sin(angle);
  }
  auto values = x.values<float>();
  for (bool interleaved : {false, true}) {
    expectDone(kernels::rope(out, x, cos, sin, {.firstPosition = 2, .interleaved = interleaved}, options()));
    expectValues(out, [&](int64_t i) {
      int64_t position = i / (kHeads * kDim) % kLength + 2, inside = i % kDim, start = i - inside;
      int64_t pair = interleaved ? inside / 2 : inside % kHalf;
      bool isSecond = interleaved ? inside % 2 : inside >= kHalf;
      double a = values[start + (interleaved ? 2 * pair : pair)];
      double b = values[start + (interleaved ? 2 * pair + 1 : pair + kHalf)];
      double c = cos.values<float>()[position * kHalf + pair], s = sin.values<float>()[position * kHalf + pair];
      return isSecond ? b * c + a * s : a * c - b * s;
    });
    expectDone(kernels::rope(back, out, cos, sin, {.firstPosition = 2, .interleaved = interleaved, .inverse = true},
                             options()));
    expectValues(back, [&](int64_t i) { return values[i]; });
  }
  expectError(kernels::rope(out, x, cos, sin, {.firstPosition = 3}, options()),
              "rope: positions 3 to 9 are needed, but the tables have 8");
}

TEST(Dropout, KeepsAboutAsManyAsItShould) {
  Tensor x = random({20000}), out = zeros({20000}), again = zeros({20000});
  expectDone(kernels::dropout(out, x, 0.25, 7, options()));
  expectDone(kernels::dropout(again, x, 0.25, 7, options()));
  int kept = 0;
  for (int64_t i = 0; i < x.count(); ++i) {
    float value = out.values<float>()[i];
    EXPECT_EQ(value, again.values<float>()[i]);
    if (value != 0)
      ASSERT_NEAR(value, x.values<float>()[i] / 0.75, 1e-5) << i;
    kept += value != 0;
  }
  EXPECT_NEAR(kept, 15000, 300);
  expectError(kernels::dropout(out, x, 1.5, 7, options()),
              "dropout: the probability is 1.500000, but 0 to 1 is expected");
}

TEST(CrossEntropy, ComputesLossAndGradient) {
  constexpr int64_t kRows = 6, kClasses = 5000;
  Tensor logits = random({kRows, kClasses}, 1), target = randomIntegers<int64_t>({kRows}, 0, kClasses - 1);
  Tensor loss = zeros({kRows}), lse = zeros({kRows}), gradLoss = random({kRows}, 2), grad = zeros({kRows, kClasses});
  target.values<int64_t>()[2] = -100;
  expectDone(kernels::crossEntropy(loss, lse, logits, target, {}, options()));
  expectDone(kernels::crossEntropyBackward(grad, gradLoss, lse, logits, target, {}, options()));
  auto values = logits.values<float>();
  std::vector<double> expected(kRows);
  for (int64_t i = 0; i < logits.count(); ++i)
    expected[i / kClasses] += std::exp(double(values[i]));
  auto place = [&](int64_t row) { return target.values<int64_t>()[row]; };
  expectValues(
      loss, [&](int64_t row) { return row == 2 ? 0 : std::log(expected[row]) - values[row * kClasses + place(row)]; });
  expectValues(grad, [&](int64_t i) {
    int64_t row = i / kClasses;
    double probability = std::exp(double(values[i])) / expected[row];
    return row == 2 ? 0 : (probability - (i % kClasses == place(row))) * gradLoss.values<float>()[row];
  });
}

TEST(CrossEntropy, SmoothsAndCaps) {
  constexpr int64_t kRows = 4, kClasses = 300;
  constexpr double kSmoothing = 0.1, kZLoss = 0.01, kCap = 2;
  Tensor logits = random({kRows, kClasses}, 1), target = randomIntegers<int64_t>({kRows}, 0, kClasses - 1);
  Tensor loss = zeros({kRows}), lse = zeros({kRows}), gradLoss = random({kRows}, 2), grad = zeros({kRows, kClasses});
  kernels::CrossEntropyOptions entropy{.labelSmoothing = kSmoothing, .zLoss = kZLoss, .softcap = kCap};
  expectDone(kernels::crossEntropy(loss, lse, logits, target, entropy, options()));
  expectDone(kernels::crossEntropyBackward(grad, gradLoss, lse, logits, target, entropy, options()));
  auto value = [&](int64_t i) { return kCap * std::tanh(logits.values<float>()[i] / kCap); };
  std::vector<double> total(kRows), mean(kRows);
  for (int64_t i = 0; i < logits.count(); ++i)
    total[i / kClasses] += std::exp(value(i)), mean[i / kClasses] += value(i) / kClasses;
  auto place = [&](int64_t row) { return target.values<int64_t>()[row]; };
  expectValues(loss, [&](int64_t row) {
    double logarithm = std::log(total[row]);
    return logarithm - (1 - kSmoothing) * value(row * kClasses + place(row)) - kSmoothing * mean[row] +
           kZLoss * logarithm * logarithm;
  });
  expectValues(grad, [&](int64_t i) {
    int64_t row = i / kClasses;
    double share = std::exp(value(i)) / total[row] * (1 + 2 * kZLoss * std::log(total[row]));
    double wanted = (1 - kSmoothing) * (i % kClasses == place(row)) + kSmoothing / kClasses;
    return (share - wanted) * gradLoss.values<float>()[row] * (1 - std::pow(value(i) / kCap, 2));
  });
}
