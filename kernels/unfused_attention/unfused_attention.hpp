// unfused_attention.hpp: unfusedAttention(out, weights, q, k, v): attention a step a kernel, with its weights in memory, and the gradients.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <cmath>

namespace nereid::kernels {

struct UnfusedAttentionOptions {
  bool causal = false;            // query i sees the keys up to i + length of k - length of q
  std::optional<double> scale{};  // of the scores; 1 / sqrt(dim) if not given
  std::string precision = "ieee"; // of fp32 inputs, as tl.dot has it
};

namespace detail {
// [batch, heads, rows, columns], perhaps with the last two the other way round.
struct Matrices {
  const Tensor &tensor;
  bool turned = false;

  int64_t size(int axis) const { return tensor.shape()[axis < 2 || !turned ? axis : 5 - axis]; }
  int64_t stride(int axis) const { return tensor.strides()[axis < 2 || !turned ? axis : 5 - axis]; }
};

// out = scale * a @ b for each batch and head.
inline Result<void> headProduct(const Tensor &out, Matrices a, Matrices b, double scale, const std::string &precision,
                                const LaunchOptions &options) {
  int64_t M = a.size(2), K = a.size(3), N = b.size(3), heads = a.size(1);
  auto block = [](int64_t n) { return std::clamp<int64_t>(powerOfTwo(n), 16, 64); };
  std::vector<Argument> arguments{a.tensor, b.tensor, out, M, N, K, scale, heads};
  for (Matrices each : {a, b, Matrices{out}})
    for (int axis = 0; axis < 4; ++axis)
      arguments.push_back(each.stride(axis));
  arguments.insert(arguments.end(), {block(M), block(N), 32, precision});
  return launch(find("unfused_attention", "product"), {cdiv(M, block(M)), cdiv(N, block(N)), a.size(0) * heads},
                options, arguments);
}

inline Checks unfusedChecks(const char *function, const Tensor &q, const Tensor &k, const Tensor &v, Named out,
                            const Tensor &weights) {
  Checks checks(function);
  checks.rank({"q", q}, 4).rank({"k", k}, 4).sameShape({"v", v}, {"k", k}).sameShape(out, {"q", q});
  checks.floats({{"q", q}, {"k", k}, {"v", v}, out, {"weights", weights}}).contiguous({{"weights", weights}});
  for (Named each : {Named{"k", k}, {"v", v}, {"weights", weights}, out})
    checks.sameType(each, {"q", q});
  if (!checks.failed())
    checks.shape({"k", k}, {q.shape()[0], q.shape()[1], k.shape()[2], q.shape()[3]})
        .shape({"weights", weights}, {q.shape()[0], q.shape()[1], q.shape()[2], k.shape()[2]});
  return checks;
}
inline double attentionScale(const Tensor &q, const UnfusedAttentionOptions &attention) {
  return attention.scale.value_or(1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, q.shape()[3]))));
}
} // namespace detail

// q, k, v and out: [batch, heads, length, dim] of one type and any strides; weights: contiguous [batch, heads, length of q, length of k] of that type.
inline Result<void> unfusedAttention(const Tensor &out, const Tensor &weights, const Tensor &q, const Tensor &k,
                                     const Tensor &v, const UnfusedAttentionOptions &attention = {},
                                     const LaunchOptions &options = {}) {
  detail::Checks checks = detail::unfusedChecks("unfusedAttention", q, k, v, {"out", out}, weights);
  if (checks.failed())
    return checks.error();
  Result<Tensor> scores = detail::scratch(weights, DType::Fp32, weights.shape(), options);
  if (!scores)
    return scores.error();
  int64_t batches = q.shape()[0] * q.shape()[1], lengthQ = q.shape()[2], lengthK = k.shape()[2];
  Result<void> done =
      detail::headProduct(*scores, {q}, {k, true}, detail::attentionScale(q, attention), attention.precision, options);
  if (done)
    done = detail::launch(detail::find("unfused_attention", "softmax_of_scores"), {lengthQ, batches}, options,
                          {*scores, weights, lengthQ, lengthK, attention.causal,
                           std::min(detail::kLongBlock, detail::powerOfTwo(lengthK))});
  return done ? detail::headProduct(out, {weights}, {v}, 1, attention.precision, options) : done;
}

// The gradients from that of out and the weights; gradQ, gradK and gradV have the shapes of q, k and v.
inline Result<void> unfusedAttentionBackward(const Tensor &gradQ, const Tensor &gradK, const Tensor &gradV,
                                             const Tensor &gradOut, const Tensor &weights, const Tensor &q,
                                             const Tensor &k, const Tensor &v,
                                             const UnfusedAttentionOptions &attention = {},
                                             const LaunchOptions &options = {}) {
  detail::Checks checks = detail::unfusedChecks("unfusedAttentionBackward", q, k, v, {"gradOut", gradOut}, weights);
  checks.sameShape({"gradQ", gradQ}, {"q", q})
      .sameShape({"gradK", gradK}, {"k", k})
      .sameShape({"gradV", gradV}, {"v", v});
  checks.floats({{"gradQ", gradQ}, {"gradK", gradK}, {"gradV", gradV}});
  if (checks.failed())
    return checks.error();
  Result<Tensor> gradWeights = detail::scratch(weights, DType::Fp32, weights.shape(), options),
                 gradScores = detail::scratch(weights, weights.dtype(), weights.shape(), options);
  for (const Result<Tensor> *each : {&gradWeights, &gradScores})
    if (!*each)
      return each->error();
  int64_t rows = q.shape()[0] * q.shape()[1] * q.shape()[2], lengthK = k.shape()[2];
  double scale = detail::attentionScale(q, attention);
  Result<void> done = detail::headProduct(gradV, {weights, true}, {gradOut}, 1, attention.precision, options);
  if (done)
    done = detail::headProduct(*gradWeights, {gradOut}, {v, true}, 1, attention.precision, options);
  if (done)
    done = detail::launch(
        detail::find("unfused_attention", "softmax_gradient"), {rows}, options,
        {weights, *gradWeights, *gradScores, lengthK, std::min(detail::kLongBlock, detail::powerOfTwo(lengthK))});
  if (done)
    done = detail::headProduct(gradQ, {*gradScores}, {k}, scale, attention.precision, options);
  return done ? detail::headProduct(gradK, {*gradScores, true}, {q}, scale, attention.precision, options) : done;
}

} // namespace nereid::kernels
