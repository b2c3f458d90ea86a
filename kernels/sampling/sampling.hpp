// sampling.hpp: sample(tokens, logits, seeds) draws a column of each row; filterLogits(out, logits) is what it draws from.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// One number a row each; what is missing does nothing. They apply in the order temperature, min-p, top-k, top-p.
struct SamplingOptions {
  std::optional<Tensor> temperature = {}; // fp32; 0 takes the largest logit
  std::optional<Tensor> topK = {};        // int32: so many of the largest are kept; 0 keeps all
  std::optional<Tensor> topP = {};        // fp32: the largest ones with this share of the probability are kept
  std::optional<Tensor> minP = {};        // fp32: what has this share of the largest probability is kept
};

namespace detail {
inline Checks samplingChecks(const char *function, const Tensor &logits, const SamplingOptions &sampling) {
  Checks checks(function);
  checks.rank({"logits", logits}, 2).contiguousRows({{"logits", logits}}).floats({{"logits", logits}});
  if (checks.failed())
    return checks;
  checks.that(logits.shape()[1] > 0, "the rows have no elements");
  auto perRow = [&](const char *name, const std::optional<Tensor> &tensor, DType type) {
    if (tensor)
      checks.shape({name, *tensor}, {logits.shape()[0]}).dtype({name, *tensor}, type).contiguous({{name, *tensor}});
  };
  perRow("temperature", sampling.temperature, DType::Fp32);
  perRow("topK", sampling.topK, DType::Int32);
  perRow("topP", sampling.topP, DType::Fp32);
  perRow("minP", sampling.minP, DType::Fp32);
  return checks;
}

// Blocks that leave registers for eight sums of each; rows are read in several at a time.
inline int64_t samplingBlock(int64_t columns) { return std::min<int64_t>(2048, powerOfTwo(columns)); }
inline int64_t samplingSpan(int64_t columns) { return columns >= 8192 ? 4 : 1; }

// Where the search of topK has the few logits that may be kept; without topK, and for short rows, it has none.
inline Result<Tensor> samplingCandidates(const Tensor &logits, const SamplingOptions &sampling,
                                         const LaunchOptions &options) {
  int64_t columns = logits.shape()[1], block = samplingBlock(columns);
  bool isNeeded = sampling.topK && columns > block;
  return scratch(logits, logits.dtype(), {isNeeded ? logits.shape()[0] : 0, 2 * block}, options);
}

inline Argument samplingArgument(const Tensor &candidates) {
  return candidates.count() ? Argument(candidates) : Argument(nullptr);
}

inline LaunchOptions samplingOptions(const LaunchOptions &options, int64_t block) {
  return withDefaults(options, block >= 2048 ? 16 : 4);
}

inline Result<void> draw(const char *function, const Tensor &tokens, const Tensor &logits, const Tensor &seeds,
                         const SamplingOptions &sampling, bool areProbabilities, const LaunchOptions &options) {
  Checks checks = samplingChecks(function, logits, sampling);
  if (checks.failed())
    return checks.error();
  int64_t rows = logits.shape()[0], columns = logits.shape()[1], block = samplingBlock(columns);
  for (Named each : {Named{"tokens", tokens}, {"seeds", seeds}})
    checks.shape(each, {rows}).dtype(each, DType::Int64).contiguous({each});
  if (checks.failed())
    return checks.error();
  Result<Tensor> candidates = samplingCandidates(logits, sampling, options);
  if (!candidates)
    return candidates.error();
  return launch(find("sampling", "sample"), {rows}, samplingOptions(options, block),
                {logits, optionalArgument(sampling.temperature), optionalArgument(sampling.topK),
                 optionalArgument(sampling.topP), optionalArgument(sampling.minP), samplingArgument(*candidates), seeds,
                 tokens, logits.strides()[0], columns, samplingSpan(columns), block, areProbabilities});
}
} // namespace detail

// tokens[i], int64, is a column of row i of the logits, drawn from softmax(logits / temperature) over what is kept. The
// same seed (int64, one a row) draws the same token.
inline Result<void> sample(const Tensor &tokens, const Tensor &logits, const Tensor &seeds,
                           const SamplingOptions &sampling = {}, const LaunchOptions &options = {}) {
  return detail::draw("sample", tokens, logits, seeds, sampling, false, options);
}

// The same for rows of weights, which need not add up to 1.
inline Result<void> multinomial(const Tensor &tokens, const Tensor &weights, const Tensor &seeds,
                                const LaunchOptions &options = {}) {
  return detail::draw("multinomial", tokens, weights, seeds, {}, true, options);
}

// out = logits / temperature, and -inf for what is not kept.
inline Result<void> filterLogits(const Tensor &out, const Tensor &logits, const SamplingOptions &sampling = {},
                                 const LaunchOptions &options = {}) {
  detail::Checks checks = detail::samplingChecks("filterLogits", logits, sampling);
  checks.sameShape({"out", out}, {"logits", logits}).contiguousRows({{"out", out}}).floats({{"out", out}});
  if (checks.failed())
    return checks.error();
  int64_t rows = logits.shape()[0], columns = logits.shape()[1], block = detail::samplingBlock(columns);
  Result<Tensor> candidates = detail::samplingCandidates(logits, sampling, options);
  if (!candidates)
    return candidates.error();
  return detail::launch(detail::find("sampling", "filter_logits"), {rows}, detail::samplingOptions(options, block),
                        {logits, detail::optionalArgument(sampling.temperature),
                         detail::optionalArgument(sampling.topK), detail::optionalArgument(sampling.topP),
                         detail::optionalArgument(sampling.minP), detail::samplingArgument(*candidates), out,
                         logits.strides()[0], out.strides()[0], columns, detail::samplingSpan(columns), block,
                         detail::cacheModifier(out)});
}

} // namespace nereid::kernels
