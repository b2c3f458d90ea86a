// RecurrenceTest.cpp: the wrappers of linear_recurrence, linear_attention, selective_scan and gated_delta_rule against plain loops, in one chunk and in many.
#include "nereid/kernels/gated_delta_rule.hpp"
#include "nereid/kernels/linear_attention.hpp"
#include "nereid/kernels/linear_recurrence.hpp"
#include "nereid/kernels/selective_scan.hpp"

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

// One sum over all pairs of steps: forwards, or by `gradient` of what.
TEST(LinearAttention, IsASumOverEarlierSteps) {
  constexpr int64_t kHeads = 2, kLength = 45, kDim = 20, kDimV = 24;
  Tensor q = random({1, 1, kLength, kDim}, 1), k = random({1, 1, kLength, kDim}, 2),
         g = random({1, kHeads, kLength}, 3);
  Tensor v = random({1, kHeads, kLength, kDimV}, 4), gradOut = random(v.shape(), 5), out = zeros(v.shape());
  Tensor final = zeros({1, kHeads, kDim, kDimV}), gradQ = zeros({1, kHeads, kLength, kDim}),
         gradK = zeros(gradQ.shape());
  Tensor gradV = zeros(v.shape()), gradG = zeros(g.shape()), state = zeros(final.shape());
  for (float &value : g.values<float>())
    value = -std::fabs(value);
  expectDone(kernels::linearAttention(out, q, k, v, {.g = g, .scale = 0.5}, final, options()));
  expectDone(kernels::linearAttentionBackward(gradQ, gradK, gradV, gradG, gradOut, q, k, v, {.g = g, .scale = 0.5},
                                              options()));
  auto qs = q.values<float>(), ks = k.values<float>(), vs = v.values<float>(), gs = g.values<float>(),
       os = gradOut.values<float>();
  std::vector<double> outs(out.count()), gradsQ(gradQ.count()), gradsK(gradK.count()), gradsV(gradV.count()),
      gradsG(gradG.count());
  for (int64_t head = 0; head < kHeads; ++head)
    for (int64_t i = 0; i < kLength; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        double decay = 0.5, score = 0, gradient = 0;
        for (int64_t t = j + 1; t <= i; ++t)
          decay *= std::exp(gs[head * kLength + t]);
        for (int64_t d = 0; d < kDim; ++d)
          score += double(qs[i * kDim + d]) * ks[j * kDim + d];
        for (int64_t d = 0; d < kDimV; ++d) {
          int64_t rowI = (head * kLength + i) * kDimV + d, rowJ = (head * kLength + j) * kDimV + d;
          outs[rowI] += decay * score * vs[rowJ];
          gradsV[rowJ] += decay * score * os[rowI];
          gradient += double(os[rowI]) * vs[rowJ];
        }
        for (int64_t d = 0; d < kDim; ++d) {
          gradsQ[(head * kLength + i) * kDim + d] += decay * gradient * ks[j * kDim + d];
          gradsK[(head * kLength + j) * kDim + d] += decay * gradient * qs[i * kDim + d];
        }
        for (int64_t t = j + 1; t <= i; ++t)
          gradsG[head * kLength + t] += decay * score * gradient;
      }
  expectValues(out, [&](int64_t i) { return outs[i]; });
  expectValues(gradQ, [&](int64_t i) { return gradsQ[i]; }, 1e-4);
  expectValues(gradK, [&](int64_t i) { return gradsK[i]; }, 1e-4);
  expectValues(gradV, [&](int64_t i) { return gradsV[i]; }, 1e-4);
  expectValues(gradG, [&](int64_t i) { return gradsG[i]; }, 2e-3);
  auto row = [](const Tensor &tensor, int64_t t) { // of all heads, as a tensor of its own
    Tensor result = zeros({1, tensor.shape()[1], tensor.shape()[3]});
    for (int64_t i = 0; i < result.count(); ++i)
      result.values<float>()[i] =
          tensor.values<float>()[(i / tensor.shape()[3] * kLength + t) * tensor.shape()[3] + i % tensor.shape()[3]];
    return result;
  };
  Tensor step = zeros({1, kHeads, kDimV}), decay = zeros({1, kHeads});
  for (int64_t t = 0; t < kLength; ++t) {
    for (int64_t head = 0; head < kHeads; ++head)
      decay.values<float>()[head] = gs[head * kLength + t];
    expectDone(kernels::linearAttentionStep(step, state, row(q, t), row(k, t), row(v, t), decay, 0.5, options()));
  }
  expectValues(step, [&](int64_t i) { return outs[(i / kDimV * kLength + kLength - 1) * kDimV + i % kDimV]; }, 1e-4);
  expectValues(state, [&](int64_t i) { return final.values<float>()[i]; }, 1e-4);
  expectError(kernels::linearAttention(out, q, k, v, {.g = zeros({1, 1, kLength})}, {}, options()),
              "linearAttention: `g` has shape [1, 1, 45], but [1, 2, 45] is expected");
}

TEST(SelectiveScan, StepsForwardAndBackward) {
  constexpr int64_t kChannels = 6, kLength = 70, kStates = 3;
  Shape shape{1, kChannels, kLength};
  Tensor u = random(shape, 1), delta = random(shape, 2), a = random({kChannels, kStates}, 3),
         d = random({kChannels}, 4);
  Tensor b = random({1, 1, kStates, kLength}, 5), c = random(b.shape(), 6), out = zeros(shape),
         gradOut = random(shape, 7);
  for (float &value : a.values<float>())
    value = -std::fabs(value);
  kernels::SelectiveScanOptions scan{.d = d, .softplus = true};
  auto states = *kernels::selectiveScanStates(u, kStates);
  Shape sums{1, 2, kStates, kLength}; // two blocks of channels
  kernels::SelectiveScanGradients gradients{
      zeros(shape),          zeros(shape),         {}, zeros({1, kChannels, kStates}), zeros(sums), zeros(sums),
      zeros({1, kChannels}), zeros({1, kChannels})};
  expectDone(kernels::selectiveScan(out, u, delta, a, b, c, scan, states, {}, options()));
  expectDone(kernels::selectiveScanBackward(gradients, gradOut, u, delta, a, b, c, states, scan, options()));
  auto us = u.values<float>(), deltas = delta.values<float>(), as = a.values<float>(), bs = b.values<float>(),
       cs = c.values<float>(), gs = gradOut.values<float>();
  std::vector<double> outs(out.count()), gradU(u.count()), gradDelta(u.count()), gradA(a.count()), gradB(b.count());
  for (int64_t channel = 0; channel < kChannels; ++channel)
    for (int64_t s = 0; s < kStates; ++s) {
      double state = 0, rate = as[channel * kStates + s];
      std::vector<double> before(kLength + 1);
      for (int64_t t = 0; t < kLength; ++t) {
        int64_t i = channel * kLength + t;
        double step = std::log1p(std::exp(double(deltas[i])));
        before[t] = state;
        state = std::exp(step * rate) * state + step * bs[s * kLength + t] * us[i];
        outs[i] += cs[s * kLength + t] * state + (s ? 0 : d.values<float>()[channel] * us[i]);
      }
      double carried = 0;
      for (int64_t t = kLength - 1; t >= 0; --t) {
        int64_t i = channel * kLength + t;
        double step = std::log1p(std::exp(double(deltas[i]))), slope = 1 / (1 + std::exp(-double(deltas[i])));
        carried += cs[s * kLength + t] * gs[i];
        gradU[i] += carried * step * bs[s * kLength + t] + (s ? 0 : d.values<float>()[channel] * gs[i]);
        gradDelta[i] += carried * slope * (bs[s * kLength + t] * us[i] + rate * std::exp(step * rate) * before[t]);
        gradA[channel * kStates + s] += carried * step * std::exp(step * rate) * before[t];
        gradB[s * kLength + t] += carried * step * us[i];
        carried *= std::exp(step * rate);
      }
    }
  expectValues(out, [&](int64_t i) { return outs[i]; }, 1e-4);
  expectValues(gradients.u, [&](int64_t i) { return gradU[i]; }, 1e-4);
  expectValues(gradients.delta, [&](int64_t i) { return gradDelta[i]; }, 1e-4);
  expectValues(gradients.a, [&](int64_t i) { return gradA[i]; }, 1e-3);
  auto partial = gradients.b.values<float>();
  for (int64_t i = 0; i < b.count(); ++i)
    ASSERT_NEAR(partial[i] + partial[b.count() + i], gradB[i], 1e-3) << "at element " << i;

  Tensor state = zeros({1, kChannels, kStates}), next = zeros({1, kChannels});
  auto at = [&](const Tensor &tensor, int64_t rows, Shape result) { // the first step of rows of a length
    Tensor first = zeros(std::move(result));
    for (int64_t i = 0; i < rows; ++i)
      first.values<float>()[i] = tensor.values<float>()[i * kLength];
    return first;
  };
  expectDone(kernels::selectiveScanStep(next, state, at(u, kChannels, {1, kChannels}),
                                        at(delta, kChannels, {1, kChannels}), a, at(b, kStates, {1, 1, kStates}),
                                        at(c, kStates, {1, 1, kStates}), scan, options()));
  expectValues(next, [&](int64_t i) { return outs[i * kLength]; });
  expectError(kernels::selectiveScan(out, u, delta, zeros({5, kStates}), b, c, scan, {}, {}, options()),
              "selectiveScan: `a` has shape [5, 3], but [6, 3] is expected");
}

TEST(GatedDeltaRule, IsTheSameInChunksAndBySteps) {
  constexpr int64_t kHeads = 2, kLength = 45, kDim = 6, kDimV = 5;
  Tensor q = random({1, 1, kLength, kDim}, 1), k = random({1, 1, kLength, kDim}, 2),
         v = random({1, kHeads, kLength, kDimV}, 3);
  Tensor beta = random({1, kHeads, kLength}, 4), g = random(beta.shape(), 5), out = zeros(v.shape());
  Tensor final = zeros({1, kHeads, kDim, kDimV}), state = zeros(final.shape()), step = zeros({1, kHeads, kDimV});
  auto qs = q.values<float>(), ks = k.values<float>(), vs = v.values<float>(), betas = beta.values<float>(),
       gs = g.values<float>();
  for (int64_t i = 0; i < beta.count(); ++i)
    betas[i] = 1 / (1 + std::exp(betas[i])), gs[i] = -std::fabs(gs[i]);
  for (int64_t t = 0; t < kLength; ++t) { // keys have length 1
    double norm = 0;
    for (int64_t d = 0; d < kDim; ++d)
      norm += double(ks[t * kDim + d]) * ks[t * kDim + d];
    for (int64_t d = 0; d < kDim; ++d)
      ks[t * kDim + d] /= std::sqrt(norm);
  }
  expectDone(kernels::gatedDeltaRule(out, q, k, v, beta, {.g = g, .scale = 0.5}, final, options()));
  std::vector<double> outs(out.count()), states(final.count());
  auto rows = [](std::span<float> values, int64_t heads, int64_t t, int64_t width) { // step t of all heads
    Tensor result = width == 1 ? zeros({1, heads}) : zeros({1, heads, width});
    for (int64_t i = 0; i < heads * width; ++i)
      result.values<float>()[i] = values[(i / width * kLength + t) * width + i % width];
    return result;
  };
  for (int64_t t = 0; t < kLength; ++t) {
    for (int64_t head = 0; head < kHeads; ++head)
      for (int64_t i = 0; i < kDimV; ++i) {
        double held = 0, total = 0, fade = std::exp(gs[head * kLength + t]);
        double *column = &states[head * kDim * kDimV + i];
        for (int64_t d = 0; d < kDim; ++d)
          held += (column[d * kDimV] *= fade) * ks[t * kDim + d];
        double corrected = betas[head * kLength + t] * (vs[(head * kLength + t) * kDimV + i] - held);
        for (int64_t d = 0; d < kDim; ++d)
          total += (column[d * kDimV] += ks[t * kDim + d] * corrected) * qs[t * kDim + d];
        outs[(head * kLength + t) * kDimV + i] = 0.5 * total;
      }
    expectDone(kernels::gatedDeltaRuleStep(step, state, rows(qs, 1, t, kDim), rows(ks, 1, t, kDim),
                                           rows(vs, kHeads, t, kDimV), rows(betas, kHeads, t, 1),
                                           rows(gs, kHeads, t, 1), 0.5, options()));
  }
  expectValues(out, [&](int64_t i) { return outs[i]; });
  for (const Tensor &each : {final, state})
    expectValues(each, [&](int64_t i) { return states[i]; });
  expectValues(step, [&](int64_t i) { return outs[(i / kDimV * kLength + kLength - 1) * kDimV + i % kDimV]; });
  // The gradients, against differences of the sum of all results over a step.
  Tensor ones = zeros(v.shape());
  std::fill(ones.values<float>().begin(), ones.values<float>().end(), 1.0F);
  kernels::DeltaRuleGradients grads{zeros(q.shape()),    zeros(k.shape()), zeros(v.shape()),
                                    zeros(beta.shape()), zeros(g.shape()), {}};
  expectDone(kernels::gatedDeltaRuleBackward(grads, ones, q, k, v, beta, {.g = g, .scale = 0.5}, {}, options()));
  auto sumWith = [&](Tensor &input, int64_t i, float step) {
    float before = input.values<float>()[i];
    input.values<float>()[i] = before + step;
    expectDone(kernels::gatedDeltaRule(out, q, k, v, beta, {.g = g, .scale = 0.5}, {}, options()));
    input.values<float>()[i] = before;
    double total = 0;
    for (float value : out.values<float>())
      total += value;
    return total;
  };
  for (auto [input, gradient] :
       {std::pair{&q, &grads.q}, {&k, &grads.k}, {&v, &grads.v}, {&beta, &grads.beta}, {&g, &*grads.g}})
    for (int64_t i : {int64_t(0), input->count() / 2, input->count() - 1})
      EXPECT_NEAR(gradient->values<float>()[i], (sumWith(*input, i, 0.05F) - sumWith(*input, i, -0.05F)) / 0.1, 5e-3)
          << "at element " << i;
  expectError(kernels::gatedDeltaRule(out, q, k, v, zeros({1, 1, kLength}), {}, {}, options()),
              "gatedDeltaRule: `beta` has shape [1, 1, 45], but [1, 2, 45] is expected");
}
