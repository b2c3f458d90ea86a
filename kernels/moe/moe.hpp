// moe.hpp: moeRoute, moeOrder, moePermute and moeCombine: what a mixture of experts does around the products of its experts.
//
//   moeRoute(weights, experts, logits);            // the best experts of each token
//   moeOrder(positions, ends, experts);            // rows by expert
//   moePermute(rows, x, positions);                // then raggedGemm(…, rows, …, ends)
//   moeCombine(out, results, positions, weights);
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

namespace detail {
inline constexpr int64_t kMostExperts = 1024, kMoePrograms = 128;

// [tokens, k] int32: experts or positions.
inline Checks &choices(Checks &checks, Named each) {
  return checks.rank(each, 2).dtype(each, DType::Int32).contiguous({each});
}
// Tokens that a program of the router takes: a tile of a few thousand elements.
inline int64_t routedTokens(int64_t blockE) { return std::clamp<int64_t>(1024 / blockE, 1, 32); }

inline Checks routeChecks(const char *function, const Tensor &logits, Named weights, const Tensor &experts) {
  Checks checks(function);
  checks.rank({"logits", logits}, 2).contiguousRows({{"logits", logits}}).floats({{"logits", logits}});
  choices(checks, {"experts", experts}).dtype(weights, DType::Fp32).contiguous({weights});
  checks.sameShape(weights, {"experts", experts});
  if (checks.failed())
    return checks;
  int64_t nExperts = logits.shape()[1], topK = experts.shape()[1];
  checks.shape({"experts", experts}, {logits.shape()[0], topK});
  checks.that(topK > 0 && topK <= nExperts && nExperts <= kMostExperts,
              std::to_string(topK) + " of " + std::to_string(nExperts) +
                  " experts are asked for, but 1 to all of at most " + std::to_string(kMostExperts) + " are expected");
  return checks;
}
} // namespace detail

// weights (fp32) and experts (int32), [tokens, k]: the k largest of softmax(logits) of each row, largest first. With
// `renormalize` the weights of a token add up to 1.
inline Result<void> moeRoute(const Tensor &weights, const Tensor &experts, const Tensor &logits,
                             bool renormalize = true, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::routeChecks("moeRoute", logits, {"weights", weights}, experts);
  if (checks.failed())
    return checks.error();
  int64_t tokens = logits.shape()[0], nExperts = logits.shape()[1], topK = experts.shape()[1];
  int64_t blockE = detail::powerOfTwo(nExperts), blockT = detail::routedTokens(blockE);
  return detail::launch(detail::find("moe", "moe_route"), {detail::cdiv(tokens, blockT)}, options,
                        {logits, weights, experts, logits.strides()[0], tokens, nExperts, topK, renormalize, blockT,
                         blockE, detail::powerOfTwo(topK)});
}

// gradLogits, contiguous, from the gradient of the weights; the choice of experts has none.
inline Result<void> moeRouteBackward(const Tensor &gradLogits, const Tensor &gradWeights, const Tensor &logits,
                                     const Tensor &experts, bool renormalize = true,
                                     const LaunchOptions &options = {}) {
  detail::Checks checks = detail::routeChecks("moeRouteBackward", logits, {"gradWeights", gradWeights}, experts);
  checks.sameShape({"gradLogits", gradLogits}, {"logits", logits});
  checks.contiguous({{"gradLogits", gradLogits}}).floats({{"gradLogits", gradLogits}});
  if (checks.failed())
    return checks.error();
  int64_t tokens = logits.shape()[0], nExperts = logits.shape()[1], topK = experts.shape()[1];
  int64_t blockE = detail::powerOfTwo(nExperts), blockT = detail::routedTokens(blockE);
  return detail::launch(detail::find("moe", "moe_route_backward"), {detail::cdiv(tokens, blockT)}, options,
                        {gradWeights, logits, experts, gradLogits, logits.strides()[0], tokens, nExperts, topK,
                         renormalize, blockT, blockE});
}

// positions[t][j] is the row that choice j of token t has in the order by expert, -1 where experts[t][j] is none of them;
// the rows of expert e end before ends[e] (int32 [experts]), as raggedGemm takes it.
inline Result<void> moeOrder(const Tensor &positions, const Tensor &ends, const Tensor &experts,
                             const LaunchOptions &options = {}) {
  detail::Checks checks("moeOrder");
  detail::choices(checks, {"experts", experts});
  detail::choices(checks, {"positions", positions}).sameShape({"positions", positions}, {"experts", experts});
  checks.rank({"ends", ends}, 1).dtype({"ends", ends}, DType::Int32).contiguous({{"ends", ends}});
  if (checks.failed())
    return checks.error();
  int64_t count = experts.count(), nExperts = ends.shape()[0];
  checks.that(nExperts > 0 && nExperts <= detail::kMostExperts,
              "there are " + std::to_string(nExperts) + " experts, but 1 to " + std::to_string(detail::kMostExperts) +
                  " are expected");
  if (checks.failed())
    return checks.error();
  int64_t blockE = detail::powerOfTwo(nExperts), block = std::clamp<int64_t>(8192 / blockE, 8, 128);
  int64_t programs = std::clamp<int64_t>(detail::cdiv(count, block), 1, detail::kMoePrograms);
  int64_t chunk = detail::cdiv(detail::cdiv(count, programs), block) * block;
  Result<Tensor> counts = detail::scratch(experts, DType::Int32, {programs, nExperts}, options);
  if (!counts)
    return counts.error();
  LaunchOptions wide = detail::withDefaults(options, 8);
  Result<void> done = detail::launch(detail::find("moe", "moe_count"), {programs}, wide,
                                     {experts, *counts, count, nExperts, chunk, block, blockE});
  return done ? detail::launch(detail::find("moe", "moe_positions"), {programs}, wide,
                               {experts, *counts, positions, ends, count, nExperts, chunk, block, blockE,
                                std::clamp<int64_t>(8192 / blockE, 8, 32)})
              : done;
}

// out[positions[t][j]] = x[t]; out is contiguous. Rows that no position names are left as they are.
inline Result<void> moePermute(const Tensor &out, const Tensor &x, const Tensor &positions,
                               const LaunchOptions &options = {}) {
  detail::Checks checks("moePermute");
  checks.rank({"x", x}, 2).rank({"out", out}, 2).sameType({"out", out}, {"x", x}).contiguous({{"out", out}});
  detail::choices(checks.contiguousRows({{"x", x}}), {"positions", positions});
  if (checks.failed())
    return checks.error();
  int64_t tokens = x.shape()[0], columns = x.shape()[1], topK = positions.shape()[1];
  checks.shape({"positions", positions}, {tokens, topK}).shape({"out", out}, {out.shape()[0], columns});
  if (checks.failed())
    return checks.error();
  int64_t block = std::min(detail::kVectorBlock, detail::powerOfTwo(columns));
  return detail::launch(detail::find("moe", "moe_permute"), {tokens, detail::cdiv(columns, block)},
                        detail::withWarps(options, block),
                        {x, positions, out, x.strides()[0], columns, topK, block, detail::cacheModifier(out)});
}

// out[t] = sum of weights[t][j] * y[positions[t][j]]; without weights (fp32) each counts 1, which is also the backward
// pass of moePermute. out is contiguous.
inline Result<void> moeCombine(const Tensor &out, const Tensor &y, const Tensor &positions,
                               const std::optional<Tensor> &weights = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("moeCombine");
  checks.rank({"y", y}, 2).rank({"out", out}, 2).contiguous({{"out", out}}).floats({{"y", y}, {"out", out}});
  detail::choices(checks.contiguousRows({{"y", y}}), {"positions", positions});
  if (weights)
    checks.sameShape({"weights", *weights}, {"positions", positions})
        .dtype({"weights", *weights}, DType::Fp32)
        .contiguous({{"weights", *weights}});
  if (checks.failed())
    return checks.error();
  int64_t tokens = positions.shape()[0], columns = y.shape()[1], topK = positions.shape()[1];
  checks.shape({"out", out}, {tokens, columns});
  if (checks.failed())
    return checks.error();
  int64_t block = std::min(detail::kVectorBlock, detail::powerOfTwo(columns));
  return detail::launch(detail::find("moe", "moe_combine"), {tokens, detail::cdiv(columns, block)},
                        detail::withWarps(options, block),
                        {y, positions, detail::optionalArgument(weights), out, y.strides()[0], columns, topK, block,
                         detail::cacheModifier(out)});
}

// The gradients of y, contiguous, and of the weights (fp32), from that of out.
inline Result<void> moeCombineBackward(const Tensor &gradY, const Tensor &gradWeights, const Tensor &gradOut,
                                       const Tensor &y, const Tensor &positions, const Tensor &weights,
                                       const LaunchOptions &options = {}) {
  detail::Checks checks("moeCombineBackward");
  checks.rank({"y", y}, 2).sameShape({"gradY", gradY}, {"y", y}).contiguous({{"gradY", gradY}});
  checks.floats({{"y", y}, {"gradY", gradY}, {"gradOut", gradOut}}).contiguousRows({{"y", y}, {"gradOut", gradOut}});
  detail::choices(checks, {"positions", positions});
  for (detail::Named each : {detail::Named{"weights", weights}, {"gradWeights", gradWeights}})
    checks.sameShape(each, {"positions", positions}).dtype(each, DType::Fp32).contiguous({each});
  if (checks.failed())
    return checks.error();
  int64_t tokens = positions.shape()[0], columns = y.shape()[1], topK = positions.shape()[1];
  checks.shape({"gradOut", gradOut}, {tokens, columns});
  if (checks.failed())
    return checks.error();
  int64_t block = std::min<int64_t>(1024, detail::powerOfTwo(columns));
  return detail::launch(detail::find("moe", "moe_combine_backward"), {tokens}, detail::withWarps(options, block),
                        {gradOut, y, positions, weights, gradY, gradWeights, gradOut.strides()[0], y.strides()[0],
                         columns, topK, block, detail::cacheModifier(gradY)});
}

} // namespace nereid::kernels
