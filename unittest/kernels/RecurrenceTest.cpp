// RecurrenceTest.cpp: the wrappers of linear_recurrence against plain loops, in one chunk and in many.
#include "nereid/kernels/linear_recurrence.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

static void testRecurrence(int64_t batch, int64_t length, int64_t channels) {
  Shape shape{batch, length, channels};
  Tensor a = random(shape, 1), b = random(shape, 2), gradH = random(shape, 3), initial = random({batch, channels}, 4);
  for (float &value : a.values<float>())
    value = std::tanh(value);
  Tensor h = zeros(shape), gradA = zeros(shape), gradB = zeros(shape);
  expectDone(kernels::linearRecurrence(h, a, b, initial, options()));
  expectDone(kernels::linearRecurrenceBackward(gradA, gradB, gradH, a, h, initial, options()));
  auto as = a.values<float>(), bs = b.values<float>(), gs = gradH.values<float>(), starts = initial.values<float>();
  std::vector<double> states(as.size()), gradients(as.size());
  auto before = [&](int64_t i) {
    bool isFirst = i / channels % length == 0;
    return isFirst ? starts[i / (length * channels) * channels + i % channels] : states[i - channels];
  };
  for (int64_t i = 0; i < a.count(); ++i)
    states[i] = as[i] * before(i) + bs[i];
  for (int64_t i = a.count() - 1; i >= 0; --i) {
    bool isLast = i / channels % length == length - 1;
    gradients[i] = gs[i] + (isLast ? 0 : as[i + channels] * gradients[i + channels]);
  }
  expectValues(h, [&](int64_t i) { return states[i]; });
  expectValues(gradB, [&](int64_t i) { return gradients[i]; });
  expectValues(gradA, [&](int64_t i) { return gradients[i] * before(i); }, 1e-4);
}

TEST(LinearRecurrence, StepsForwardAndBackward) {
  testRecurrence(3, 40, 70);
  testRecurrence(1, 1, 5);
}

TEST(LinearRecurrence, TakesLongSequencesInChunks) { testRecurrence(1, 2000, 20); }

TEST(LinearRecurrence, RefusesWhatDoesNotFit) {
  Tensor a = zeros({2, 3, 4});
  expectError(kernels::linearRecurrence(a, a, zeros({2, 3, 5}), {}, options()),
              "linearRecurrence: `b` has shape [2, 3, 5], but `a` has [2, 3, 4]");
  expectError(kernels::linearRecurrence(a, a, a, zeros({2, 3}), options()),
              "linearRecurrence: `initial` has shape [2, 3], but [2, 4] is expected");
}
