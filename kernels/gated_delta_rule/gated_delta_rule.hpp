// gated_delta_rule.hpp: gatedDeltaRule(out, q, k, v, beta, {.g = g}): the recurrence of Gated DeltaNet in chunks, and a step of it.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct DeltaRuleOptions {
  std::optional<Tensor> g = {}; // [batch, heads, length]: a step multiplies the state by exp(g)
  std::optional<Tensor> initial =
      {};           // fp32 [batch, heads, dim of k, dim of v], contiguous: the state before the first step
  double scale = 1; // of out
  std::string precision = "ieee"; // of fp32 inputs, as tl.dot has it
};

// q and k: [batch, heads of q, length, dim]; v and out: [batch, heads, length, dim of v]; any strides but 1 for the last axis. beta: [batch, heads, length]. Each head of q may serve several of v.
// Keys have length 1. final, fp32 [batch, heads, dim, dim of v], becomes the state behind the last step.
inline Result<void> gatedDeltaRule(const Tensor &out, const Tensor &q, const Tensor &k, const Tensor &v,
                                   const Tensor &beta, const DeltaRuleOptions &rule = {},
                                   const std::optional<Tensor> &final = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("gatedDeltaRule");
  checks.rank({"q", q}, 4).rank({"v", v}, 4).sameShape({"k", k}, {"q", q}).sameShape({"out", out}, {"v", v});
  checks.floats({{"q", q}, {"k", k}, {"v", v}, {"out", out}, {"beta", beta}});
  checks.contiguousRows({{"q", q}, {"k", k}, {"v", v}, {"out", out}});
  checks.sameType({"k", k}, {"q", q}).sameType({"v", v}, {"q", q});
  if (checks.failed())
    return checks.error();
  int64_t batch = v.shape()[0], heads = v.shape()[1], length = v.shape()[2], headsQ = q.shape()[1];
  int64_t dim = q.shape()[3], dimV = v.shape()[3];
  checks.that(headsQ > 0 && heads % headsQ == 0, "`v` has " + std::to_string(heads) +
                                                     " heads, which is no multiple of the " + std::to_string(headsQ) +
                                                     " heads of `q`");
  checks.that(dim <= 256 && dimV <= 256, "heads have " + std::to_string(dim) + " and " + std::to_string(dimV) +
                                             " elements, but at most 256 are expected");
  checks.shape({"q", q}, {batch, headsQ, length, dim}).shape({"beta", beta}, {batch, heads, length});
  if (rule.g)
    checks.shape({"g", *rule.g}, {batch, heads, length}).floats({{"g", *rule.g}});
  auto state = [&](const char *name, const std::optional<Tensor> &tensor) {
    if (tensor)
      checks.shape({name, *tensor}, {batch, heads, dim, dimV})
          .dtype({name, *tensor}, DType::Fp32)
          .contiguous({{name, *tensor}});
  };
  state("initial", rule.initial);
  state("final", final);
  if (checks.failed())
    return checks.error();
  int64_t blockV = std::clamp<int64_t>(detail::powerOfTwo(dimV), 16, 64);
  int64_t blockT = std::clamp<int64_t>(detail::powerOfTwo(length), 16, 32);
  std::vector<Argument> arguments{q,         k,
                                  v,         detail::optionalArgument(rule.g),
                                  beta,      detail::optionalArgument(rule.initial),
                                  out,       detail::optionalArgument(final),
                                  rule.scale};
  for (const Tensor *each : {&q, &k, &v, &out, rule.g ? &*rule.g : &beta, &beta})
    for (int axis = 0; axis < 3; ++axis)
      arguments.push_back(each->strides()[axis]);
  arguments.insert(arguments.end(), {heads, heads / headsQ, length, dim, dimV, blockT,
                                     std::max<int64_t>(detail::powerOfTwo(dim), 16), blockV, rule.precision});
  return detail::launch(detail::find("gated_delta_rule", "gated_delta_rule"),
                        {detail::cdiv(dimV, blockV), batch * heads}, options, arguments);
}

// One step, as decoding has it, all contiguous: q and k [batch, heads of q, dim], v and out [batch, heads, dim of v], g and beta [batch, heads]; state, fp32 [batch, heads, dim, dim of v], in
// place.
inline Result<void> gatedDeltaRuleStep(const Tensor &out, const Tensor &state, const Tensor &q, const Tensor &k,
                                       const Tensor &v, const Tensor &beta, const std::optional<Tensor> &g = {},
                                       double scale = 1, const LaunchOptions &options = {}) {
  detail::Checks checks("gatedDeltaRuleStep");
  checks.rank({"q", q}, 3).rank({"v", v}, 3).sameShape({"k", k}, {"q", q}).sameShape({"out", out}, {"v", v});
  checks.floats({{"q", q}, {"k", k}, {"v", v}, {"out", out}, {"beta", beta}});
  checks.contiguous({{"q", q}, {"k", k}, {"v", v}, {"out", out}, {"beta", beta}});
  if (checks.failed())
    return checks.error();
  int64_t batch = v.shape()[0], heads = v.shape()[1], headsQ = q.shape()[1], dim = q.shape()[2], dimV = v.shape()[2];
  checks.that(headsQ > 0 && heads % headsQ == 0, "`v` has " + std::to_string(heads) +
                                                     " heads, which is no multiple of the " + std::to_string(headsQ) +
                                                     " heads of `q`");
  checks.shape({"q", q}, {batch, headsQ, dim}).shape({"beta", beta}, {batch, heads});
  checks.shape({"state", state}, {batch, heads, dim, dimV})
      .dtype({"state", state}, DType::Fp32)
      .contiguous({{"state", state}});
  if (g)
    checks.shape({"g", *g}, {batch, heads}).floats({{"g", *g}}).contiguous({{"g", *g}});
  if (checks.failed())
    return checks.error();
  int64_t blockV = std::min<int64_t>(detail::powerOfTwo(dimV), 64);
  return detail::launch(detail::find("gated_delta_rule", "gated_delta_rule_step"),
                        {detail::cdiv(dimV, blockV), batch * heads}, options,
                        {q, k, v, detail::optionalArgument(g), beta, state, out, scale, heads, heads / headsQ, dim,
                         dimV, detail::powerOfTwo(dim), blockV});
}

} // namespace nereid::kernels
