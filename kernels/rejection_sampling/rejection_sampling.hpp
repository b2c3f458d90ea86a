// rejection_sampling.hpp: rejectionSampling(tokens, accepted, draftTokens, target, bonus, {…}): which tokens of a draft model a target model keeps.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct RejectionOptions {
  std::optional<Tensor> draft =
      {}; // probabilities as those of the target; without them the draft was certain of its tokens
  std::optional<Tensor> counts = {}; // int32 [batch]: so many tokens of the draft are there; all if missing
  std::optional<Tensor> seeds = {}; // int64 [batch]; without them a token is kept where the target finds it most likely
};

// draftTokens: int64 [batch, most]; target: probabilities [batch, most, columns], the last axis contiguous; bonus: int64 [batch], the target's token behind the
// draft's. tokens: int64 [batch, most + 1], -1 behind the last; accepted: int32 [batch], how many are the draft's. All others contiguous.
inline Result<void> rejectionSampling(const Tensor &tokens, const Tensor &accepted, const Tensor &draftTokens,
                                      const Tensor &target, const Tensor &bonus, const RejectionOptions &rejection = {},
                                      const LaunchOptions &options = {}) {
  detail::Checks checks("rejectionSampling");
  checks.rank({"target", target}, 3).floats({{"target", target}}).contiguousRows({{"target", target}});
  if (checks.failed())
    return checks.error();
  int64_t batch = target.shape()[0], most = target.shape()[1], columns = target.shape()[2];
  auto like = [&](const char *name, const std::optional<Tensor> &tensor, const Shape &shape, DType type) {
    if (tensor)
      checks.shape({name, *tensor}, shape).dtype({name, *tensor}, type).contiguous({{name, *tensor}});
  };
  like("tokens", tokens, {batch, most + 1}, DType::Int64);
  like("accepted", accepted, {batch}, DType::Int32);
  like("draftTokens", draftTokens, {batch, most}, DType::Int64);
  like("bonus", bonus, {batch}, DType::Int64);
  like("counts", rejection.counts, {batch}, DType::Int32);
  like("seeds", rejection.seeds, {batch}, DType::Int64);
  if (rejection.draft)
    checks.sameShape({"draft", *rejection.draft}, {"target", target})
        .floats({{"draft", *rejection.draft}})
        .contiguousRows({{"draft", *rejection.draft}});
  if (checks.failed())
    return checks.error();
  int64_t block = std::clamp<int64_t>(detail::powerOfTwo(columns), 16, detail::kVectorBlock);
  const Tensor &draft = rejection.draft ? *rejection.draft : target;
  return detail::launch(
      detail::find("rejection_sampling", "rejection_sampling"), {batch}, detail::withWarps(options, block),
      {draftTokens, detail::optionalArgument(rejection.counts), detail::optionalArgument(rejection.draft), target,
       bonus, detail::optionalArgument(rejection.seeds), tokens, accepted, draft.strides()[0], draft.strides()[1],
       target.strides()[0], target.strides()[1], most, columns, !rejection.seeds, block});
}

} // namespace nereid::kernels
