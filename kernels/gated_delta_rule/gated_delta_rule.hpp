// gated_delta_rule.hpp: gatedDeltaRule(out, q, k, v, beta, {.g = g}): the recurrence of Gated DeltaNet in chunks, its gradients, and a step of it.
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

namespace detail {
inline Checks deltaRuleChecks(const char *function, const Tensor &q, const Tensor &k, const Tensor &v,
                              const Tensor &beta, Named out, const DeltaRuleOptions &rule,
                              const std::optional<Tensor> &final) {
  Checks checks(function);
  checks.rank({"q", q}, 4).rank({"v", v}, 4).sameShape({"k", k}, {"q", q}).sameShape(out, {"v", v});
  checks.floats({{"q", q}, {"k", k}, {"v", v}, out, {"beta", beta}});
  checks.contiguousRows({{"q", q}, {"k", k}, {"v", v}, out});
  checks.sameType({"k", k}, {"q", q}).sameType({"v", v}, {"q", q});
  if (checks.failed())
    return checks;
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
  for (auto &[name, tensor] : {std::pair{"initial", &rule.initial}, {"final", &final}})
    if (*tensor)
      checks.shape({name, **tensor}, {batch, heads, dim, dimV})
          .dtype({name, **tensor}, DType::Fp32)
          .contiguous({{name, **tensor}});
  return checks;
}

// How many steps a chunk has backward, and a part of one forward.
inline int64_t deltaRuleSteps(int64_t length) { return std::clamp<int64_t>(powerOfTwo(length), 16, 32); }

// How many a chunk has forward: two parts where tiles of 16 bits leave room for them.
inline int64_t deltaRuleChunk(const Tensor &q) {
  int64_t length = q.shape()[2];
  bool hasTwoParts = length > 32 && q.dtype() != DType::Fp32 && q.shape()[3] <= 128;
  return deltaRuleSteps(length) * (hasTwoParts ? 2 : 1);
}

inline void addSteps(std::vector<Argument> &arguments, std::initializer_list<const Tensor *> tensors) {
  for (const Tensor *each : tensors)
    for (int axis = 0; axis < 3; ++axis)
      arguments.push_back(each->strides()[axis]);
}

// What the backward kernel has behind its tensors: strides, sizes, blocks.
inline void addDeltaRuleSizes(std::vector<Argument> &arguments, const Tensor &q, const Tensor &k, const Tensor &v,
                              const Tensor &out, const Tensor &beta, const DeltaRuleOptions &rule, int64_t blockV) {
  arguments.push_back(rule.scale);
  addSteps(arguments, {&q, &k, &v, &out, rule.g ? &*rule.g : &beta, &beta});
  int64_t heads = v.shape()[1], length = v.shape()[2], dim = q.shape()[3];
  arguments.insert(arguments.end(), {heads, heads / q.shape()[1], length, dim, v.shape()[3], deltaRuleSteps(length),
                                     std::max<int64_t>(powerOfTwo(dim), 16), blockV, rule.precision});
}

// What chunks need no state for, all at once, and then one after the other. Without out, states alone are made.
inline Result<void> launchDeltaRule(const std::optional<Tensor> &out, const Tensor &q, const Tensor &k, const Tensor &v,
                                    const Tensor &beta, const DeltaRuleOptions &rule,
                                    const std::optional<Tensor> &final, const std::optional<Tensor> &states,
                                    int64_t chunk, const LaunchOptions &options) {
  int64_t batch = v.shape()[0], heads = v.shape()[1], length = v.shape()[2], dim = q.shape()[3], dimV = v.shape()[3];
  int64_t chunks = cdiv(length, chunk), group = heads / q.shape()[1];
  Result<Tensor> sums = scratch(v, DType::Fp32, {batch, heads, length}, options),
                 w = scratch(v, v.dtype(), {batch, heads, length, dim}, options),
                 u = scratch(v, v.dtype(), {batch, heads, length, dimV}, options),
                 score = scratch(v, v.dtype(), {batch, heads, chunks, chunk, out ? chunk : 0}, options);
  for (const Result<Tensor> *each : {&sums, &w, &u, &score})
    if (!*each)
      return each->error();
  Argument scores = out ? Argument(*score) : Argument(nullptr);
  int64_t blockK = std::max<int64_t>(powerOfTwo(dim), 16), blockV = std::max<int64_t>(powerOfTwo(dimV), 16);
  std::vector<Argument> arguments{q, k, v, optionalArgument(rule.g), beta, *sums, *w, *u, scores};
  addSteps(arguments, {&q, &k, &v, rule.g ? &*rule.g : &beta, &beta});
  arguments.insert(arguments.end(),
                   {heads, group, length, dim, dimV, chunk, deltaRuleSteps(length), blockK, blockV, rule.precision});
  Result<void> done =
      launch(find("gated_delta_rule", "gated_delta_rule_chunks"), {chunks, batch * heads}, options, arguments);
  if (!done)
    return done;
  blockV = std::min<int64_t>(blockV, 64);
  arguments = {q,
               k,
               *sums,
               *w,
               *u,
               scores,
               optionalArgument(rule.initial),
               optionalArgument(out),
               optionalArgument(final),
               optionalArgument(states),
               rule.scale};
  addSteps(arguments, {&q, &k, out ? &*out : &v});
  arguments.insert(arguments.end(), {heads, group, length, dim, dimV, chunk, blockK, blockV, rule.precision});
  return launch(find("gated_delta_rule", "gated_delta_rule"), {cdiv(dimV, blockV), batch * heads}, options, arguments);
}
} // namespace detail

// q and k: [batch, heads of q, length, dim]; v and out: [batch, heads, length, dim of v]; any strides but 1 for the last axis. beta: [batch, heads, length]. Each head of q may serve several of v.
// Keys have length 1. final, fp32 [batch, heads, dim, dim of v], becomes the state behind the last step.
inline Result<void> gatedDeltaRule(const Tensor &out, const Tensor &q, const Tensor &k, const Tensor &v,
                                   const Tensor &beta, const DeltaRuleOptions &rule = {},
                                   const std::optional<Tensor> &final = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::deltaRuleChecks("gatedDeltaRule", q, k, v, beta, {"out", out}, rule, final);
  if (checks.failed())
    return checks.error();
  return detail::launchDeltaRule(out, q, k, v, beta, rule, final, {}, detail::deltaRuleChunk(q), options);
}

// Where the gradients go: contiguous, of the shapes of what they belong to.
struct DeltaRuleGradients {
  Tensor q, k, v, beta;
  std::optional<Tensor> g = {};       // with g only
  std::optional<Tensor> initial = {}; // fp32
};

// The gradients of gatedDeltaRule from that of out, and from that of final, fp32, if it has one.
inline Result<void> gatedDeltaRuleBackward(const DeltaRuleGradients &gradients, const Tensor &gradOut, const Tensor &q,
                                           const Tensor &k, const Tensor &v, const Tensor &beta,
                                           const DeltaRuleOptions &rule = {},
                                           const std::optional<Tensor> &gradFinal = {},
                                           const LaunchOptions &options = {}) {
  detail::Checks checks =
      detail::deltaRuleChecks("gatedDeltaRuleBackward", q, k, v, beta, {"gradOut", gradOut}, rule, gradFinal);
  checks.that(gradients.g.has_value() == rule.g.has_value(),
              "a gradient of `g` is asked for where there is no `g`, or not where there is one");
  auto check = [&](detail::Named gradient, detail::Named of) {
    checks.sameShape(gradient, of).floats({gradient}).contiguous({gradient});
  };
  check({"gradients.q", gradients.q}, {"q", q});
  check({"gradients.k", gradients.k}, {"k", k});
  check({"gradients.v", gradients.v}, {"v", v});
  check({"gradients.beta", gradients.beta}, {"beta", beta});
  if (rule.g && gradients.g)
    check({"gradients.g", *gradients.g}, {"g", *rule.g});
  if (checks.failed())
    return checks.error();
  int64_t batch = v.shape()[0], heads = v.shape()[1], length = v.shape()[2], dim = q.shape()[3], dimV = v.shape()[3];
  if (gradients.initial)
    checks.shape({"gradients.initial", *gradients.initial}, {batch, heads, dim, dimV})
        .dtype({"gradients.initial", *gradients.initial}, DType::Fp32)
        .contiguous({{"gradients.initial", *gradients.initial}});
  if (checks.failed())
    return checks.error();
  // Two states of this width live in registers.
  int64_t blockV = std::clamp<int64_t>(detail::powerOfTwo(dimV), 16, dim <= 64 ? 64 : dim <= 128 ? 32 : 16);
  int64_t shares = detail::cdiv(dimV, blockV), chunks = detail::cdiv(length, detail::deltaRuleSteps(length));
  auto floats = [&](Shape shape) { return detail::scratch(q, DType::Fp32, std::move(shape), options); };
  Result<Tensor> states = floats({batch, heads, chunks, dim, dimV}),
                 shareQ = floats({shares, batch, heads, length, dim}),
                 shareK = floats({shares, batch, heads, length, dim}), shareG = floats({shares, batch, heads, length}),
                 shareBeta = floats({shares, batch, heads, length});
  for (const Result<Tensor> *each : {&states, &shareQ, &shareK, &shareG, &shareBeta})
    if (!*each)
      return each->error();
  Result<void> done =
      detail::launchDeltaRule({}, q, k, v, beta, rule, {}, *states, detail::deltaRuleSteps(length), options);
  if (!done)
    return done;
  std::vector<Argument> arguments{q,           k,
                                  v,           detail::optionalArgument(rule.g),
                                  beta,        *states,
                                  gradOut,     detail::optionalArgument(gradFinal),
                                  *shareQ,     *shareK,
                                  gradients.v, rule.g ? Argument(*shareG) : Argument(nullptr),
                                  *shareBeta,  detail::optionalArgument(gradients.initial)};
  detail::addDeltaRuleSizes(arguments, q, k, v, gradOut, beta, rule, blockV);
  done = detail::launch(detail::find("gated_delta_rule", "gated_delta_rule_backward"), {shares, batch * heads}, options,
                        arguments);
  auto sum = [&](const Tensor &share, const Tensor &gradient, int64_t rows, int64_t size) {
    if (done)
      done = detail::launch(detail::find("gated_delta_rule", "sum_of_shares"), {detail::cdiv(size, 1024), rows},
                            options, {share, gradient, size, shares, rows ? batch * heads / rows : 1, 1024});
  };
  int64_t rowsQ = batch * q.shape()[1];
  sum(*shareQ, gradients.q, rowsQ, length * dim);
  sum(*shareK, gradients.k, rowsQ, length * dim);
  sum(*shareBeta, gradients.beta, batch * heads, length);
  if (rule.g)
    sum(*shareG, *gradients.g, batch * heads, length);
  return done;
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
