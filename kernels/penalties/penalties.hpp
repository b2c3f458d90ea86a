// penalties.hpp: countTokens(counts, tokens), applyPenalties(out, logits, counts, {…}): tokens that a sequence has already become less likely.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// fp32, one number a row each; what is missing does nothing.
struct PenaltyOptions {
  std::optional<Tensor> repetition =
      {}; // a logit above 0 is divided by it, one below multiplied: of tokens of the prompt and of the output
  std::optional<Tensor> frequency = {};    // is taken off for each time that a token was generated
  std::optional<Tensor> presence = {};     // is taken off once for a token that was generated
  std::optional<Tensor> promptCounts = {}; // int32, as the counts of the output
};

// counts[i, t] += how often t stands in row i of tokens (int32 or int64); what is no column does not count. counts: int32, contiguous.
inline Result<void> countTokens(const Tensor &counts, const Tensor &tokens, const LaunchOptions &options = {}) {
  detail::Checks checks("countTokens");
  checks.rank({"tokens", tokens}, 2).rank({"counts", counts}, 2).contiguousRows({{"tokens", tokens}});
  checks.dtype({"counts", counts}, DType::Int32).contiguous({{"counts", counts}});
  checks.that(tokens.dtype() == DType::Int32 || tokens.dtype() == DType::Int64,
              "`tokens` has type " + detail::Checks::name(tokens.dtype()) + ", but i32 or i64 is expected");
  if (!checks.failed())
    checks.shape({"counts", counts}, {tokens.shape()[0], counts.shape()[1]});
  if (checks.failed())
    return checks.error();
  int64_t block = std::clamp<int64_t>(detail::powerOfTwo(tokens.shape()[1]), 16, 1024);
  return detail::launch(detail::find("penalties", "count_tokens"),
                        {detail::cdiv(tokens.shape()[1], block), tokens.shape()[0]}, options,
                        {tokens, counts, tokens.strides()[0], tokens.shape()[1], counts.shape()[1], block});
}

inline Result<void> applyPenalties(const Tensor &out, const Tensor &logits, const Tensor &counts,
                                   const PenaltyOptions &penalties = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("applyPenalties");
  checks.rank({"logits", logits}, 2).sameShape({"out", out}, {"logits", logits});
  checks.floats({{"logits", logits}, {"out", out}}).contiguousRows({{"logits", logits}, {"out", out}});
  if (checks.failed())
    return checks.error();
  int64_t rows = logits.shape()[0], columns = logits.shape()[1];
  auto like = [&](const char *name, const std::optional<Tensor> &tensor, const Shape &shape, DType type) {
    if (tensor)
      checks.shape({name, *tensor}, shape).dtype({name, *tensor}, type).contiguous({{name, *tensor}});
  };
  like("counts", counts, {rows, columns}, DType::Int32);
  like("promptCounts", penalties.promptCounts, {rows, columns}, DType::Int32);
  like("repetition", penalties.repetition, {rows}, DType::Fp32);
  like("frequency", penalties.frequency, {rows}, DType::Fp32);
  like("presence", penalties.presence, {rows}, DType::Fp32);
  if (checks.failed())
    return checks.error();
  int64_t block = std::clamp<int64_t>(detail::powerOfTwo(columns), 16, detail::kVectorBlock);
  return detail::launch(detail::find("penalties", "apply_penalties"), {detail::cdiv(columns, block), rows},
                        detail::withWarps(options, block),
                        {logits, detail::optionalArgument(penalties.promptCounts), counts,
                         detail::optionalArgument(penalties.repetition), detail::optionalArgument(penalties.frequency),
                         detail::optionalArgument(penalties.presence), out, logits.strides()[0], out.strides()[0],
                         columns, block, detail::cacheModifier(out)});
}

} // namespace nereid::kernels
