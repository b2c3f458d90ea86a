// linear_attention.hpp: linearAttention(out, q, k, v, {.g = decay}): causal attention without a softmax in time linear in the length, its gradients, and a step of it.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct LinearAttentionOptions {
  std::optional<Tensor> g = {};       // fp32 [batch, heads, length]: a step multiplies what was before it by exp(g)
  std::optional<Tensor> initial = {}; // fp32 [batch, heads, dim of k, dim of v]: the state before the first step
  double scale = 1;                   // of out
  std::string precision = "ieee";     // of fp32 inputs, as tl.dot has it
};

namespace detail {
// One sum over steps with other names for its operands; heads of an operand may serve several of `out`.
inline Result<void> linearAttentionSum(const Tensor &out, const Tensor &q, const Tensor &k, const Tensor &v,
                                       const std::optional<Tensor> &g, const std::optional<Tensor> &initial,
                                       const std::optional<Tensor> &final, bool isReversed, bool isTurned, double scale,
                                       const std::string &precision, const LaunchOptions &options) {
  int64_t batch = out.shape()[0], heads = out.shape()[1], length = out.shape()[2], dimK = q.shape()[3];
  int64_t dimV = out.shape()[3], blockV = std::clamp<int64_t>(powerOfTwo(dimV), 16, 64);
  int64_t blockT = std::clamp<int64_t>(powerOfTwo(length), 16, isGpu(options) && bytesOf(q.dtype()) == 2 ? 64 : 32);
  std::vector<Argument> arguments{
      q, k, v, optionalArgument(g), optionalArgument(initial), out, optionalArgument(final), scale};
  for (const Tensor *each : {&q, &k, &v, &out})
    for (int axis = 0; axis < 3; ++axis)
      arguments.push_back(each->strides()[axis]);
  arguments.insert(arguments.end(), {isTurned ? 1 : dimV, isTurned ? dimK : 1, heads, heads / q.shape()[1],
                                     heads / k.shape()[1], heads / v.shape()[1], length, dimK, dimV, blockT,
                                     std::max<int64_t>(powerOfTwo(dimK), 16), blockV, isReversed, precision});
  return launch(find("linear_attention", "linear_attention"), {cdiv(dimV, blockV), batch * heads}, options, arguments);
}

inline Checks linearAttentionChecks(const char *function, const Tensor &out, const Tensor &q, const Tensor &k,
                                    const Tensor &v, const LinearAttentionOptions &attention) {
  Checks checks(function);
  checks.rank({"q", q}, 4).rank({"v", v}, 4).sameShape({"k", k}, {"q", q}).sameShape({"out", out}, {"v", v});
  checks.floats({{"q", q}, {"k", k}, {"v", v}, {"out", out}})
      .contiguousRows({{"q", q}, {"k", k}, {"v", v}, {"out", out}});
  checks.sameType({"k", k}, {"q", q}).sameType({"v", v}, {"q", q});
  if (checks.failed())
    return checks;
  int64_t batch = v.shape()[0], heads = v.shape()[1], length = v.shape()[2], headsQ = q.shape()[1];
  checks.that(headsQ > 0 && heads % headsQ == 0, "`v` has " + std::to_string(heads) +
                                                     " heads, which is no multiple of the " + std::to_string(headsQ) +
                                                     " heads of `q`");
  checks.that(q.shape()[3] <= 256 && v.shape()[3] <= 256, "heads have " + std::to_string(q.shape()[3]) + " and " +
                                                              std::to_string(v.shape()[3]) +
                                                              " elements, but at most 256 are expected");
  checks.shape({"q", q}, {batch, headsQ, length, q.shape()[3]});
  auto like = [&](const char *name, const std::optional<Tensor> &tensor, const Shape &shape) {
    if (tensor)
      checks.shape({name, *tensor}, shape).dtype({name, *tensor}, DType::Fp32).contiguous({{name, *tensor}});
  };
  like("g", attention.g, {batch, heads, length});
  like("initial", attention.initial, {batch, heads, q.shape()[3], v.shape()[3]});
  return checks;
}
} // namespace detail

// q and k: [batch, heads of q, length, dim]; v and out: [batch, heads, length, dim of v]; each head of q may serve several. Any strides but 1 for the last axis. final, fp32
// [batch, heads, dim, dim of v], becomes the state behind the last step.
inline Result<void> linearAttention(const Tensor &out, const Tensor &q, const Tensor &k, const Tensor &v,
                                    const LinearAttentionOptions &attention = {},
                                    const std::optional<Tensor> &final = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::linearAttentionChecks("linearAttention", out, q, k, v, attention);
  if (final && !checks.failed())
    checks.shape({"final", *final}, {v.shape()[0], v.shape()[1], q.shape()[3], v.shape()[3]})
        .dtype({"final", *final}, DType::Fp32)
        .contiguous({{"final", *final}});
  if (checks.failed())
    return checks.error();
  return detail::linearAttentionSum(out, q, k, v, attention.g, attention.initial, final, false, false, attention.scale,
                                    attention.precision, options);
}

// The gradients for each head of v, fp32 and contiguous: those of q and k are [batch, heads, length, dim], and heads that share q add up. gradG, [batch, heads, length], is that of g.
inline Result<void> linearAttentionBackward(const Tensor &gradQ, const Tensor &gradK, const Tensor &gradV,
                                            const std::optional<Tensor> &gradG, const Tensor &gradOut, const Tensor &q,
                                            const Tensor &k, const Tensor &v,
                                            const LinearAttentionOptions &attention = {},
                                            const LaunchOptions &options = {}) {
  detail::Checks checks = detail::linearAttentionChecks("linearAttentionBackward", gradOut, q, k, v, attention);
  checks.sameType({"gradOut", gradOut}, {"q", q});
  if (checks.failed())
    return checks.error();
  int64_t batch = v.shape()[0], heads = v.shape()[1], length = v.shape()[2], dim = q.shape()[3];
  using Expected = std::pair<detail::Named, Shape>;
  for (const auto &[each, shape] :
       {Expected{{"gradQ", gradQ}, {batch, heads, length, dim}},
        {{"gradK", gradK}, {batch, heads, length, dim}},
        {{"gradV", gradV}, v.shape()},
        {{"gradG", gradG ? *gradG : gradV}, gradG ? Shape{batch, heads, length} : v.shape()}})
    checks.shape(each, shape).dtype(each, DType::Fp32).contiguous({each});
  if (checks.failed())
    return checks.error();
  auto sum = [&](const Tensor &out, const Tensor &a, const Tensor &b, const Tensor &c,
                 const std::optional<Tensor> &initial, bool isReversed, bool isTurned) {
    return detail::linearAttentionSum(out, a, b, c, attention.g, initial, {}, isReversed, isTurned, attention.scale,
                                      attention.precision, options);
  };
  Result<void> done = sum(gradQ, gradOut, v, k, attention.initial, false, true);
  if (done)
    done = sum(gradK, v, gradOut, q, {}, true, true);
  if (done)
    done = sum(gradV, k, q, gradOut, {}, true, false);
  if (!done || !gradG)
    return done;
  int64_t blockT = std::clamp<int64_t>(detail::powerOfTwo(length), 16, 64), group = heads / q.shape()[1];
  return detail::launch(detail::find("linear_attention", "linear_attention_decay_gradient"), {batch * heads}, options,
                        {q, gradQ, k, gradK, *gradG, q.strides()[0], q.strides()[1], q.strides()[2], k.strides()[0],
                         k.strides()[1], k.strides()[2], heads, group, group, length, dim, blockT,
                         std::max<int64_t>(detail::powerOfTwo(dim), 16)});
}

// One step, as decoding has it: state = exp(g) state + k v^T in place, out = scale * q · state. q and k: [batch, heads of q, dim]; v and out: [batch, heads, dim of v]; g: fp32 [batch,
// heads]; state: fp32 [batch, heads, dim, dim of v]. All contiguous.
inline Result<void> linearAttentionStep(const Tensor &out, const Tensor &state, const Tensor &q, const Tensor &k,
                                        const Tensor &v, const std::optional<Tensor> &g = {}, double scale = 1,
                                        const LaunchOptions &options = {}) {
  detail::Checks checks("linearAttentionStep");
  checks.rank({"q", q}, 3).rank({"v", v}, 3).sameShape({"k", k}, {"q", q}).sameShape({"out", out}, {"v", v});
  checks.floats({{"q", q}, {"k", k}, {"v", v}, {"out", out}}).contiguous({{"q", q}, {"k", k}, {"v", v}, {"out", out}});
  if (checks.failed())
    return checks.error();
  int64_t batch = v.shape()[0], heads = v.shape()[1], headsQ = q.shape()[1], dim = q.shape()[2], dimV = v.shape()[2];
  checks.that(headsQ > 0 && heads % headsQ == 0, "`v` has " + std::to_string(heads) +
                                                     " heads, which is no multiple of the " + std::to_string(headsQ) +
                                                     " heads of `q`");
  checks.shape({"q", q}, {batch, headsQ, dim});
  checks.shape({"state", state}, {batch, heads, dim, dimV})
      .dtype({"state", state}, DType::Fp32)
      .contiguous({{"state", state}});
  if (g)
    checks.shape({"g", *g}, {batch, heads}).dtype({"g", *g}, DType::Fp32).contiguous({{"g", *g}});
  if (checks.failed())
    return checks.error();
  int64_t blockV = std::clamp<int64_t>(detail::powerOfTwo(dimV), 1, 64);
  return detail::launch(detail::find("linear_attention", "linear_attention_step"),
                        {detail::cdiv(dimV, blockV), batch * heads}, options,
                        {q, k, v, detail::optionalArgument(g), state, out, scale, heads, heads / headsQ, dim, dimV,
                         detail::powerOfTwo(dim), blockV});
}

} // namespace nereid::kernels
