// mla_decode.hpp: mlaDecode(out, q, cache, lengths, rank): one new query for each sequence over a latent cache that all heads share.
#pragma once

#include "nereid/kernels/decode_attention.hpp"

namespace nereid::kernels {

struct MlaOptions {
  std::optional<Tensor> pages = {}; // int32 [batch, pages of a sequence]; without it page b holds sequence b
  std::optional<double> scale =
      {}; // of the scores; 1 / sqrt(width of q) if not given, but the width before absorption is meant most often
  double cacheScale = 1;          // what the cache is multiplied by
  std::string precision = "ieee"; // of fp32 queries, as tl.dot has it
  int64_t splits = 0;             // shares of the keys; 0: what fills the device
};

// q: [batch, heads, rank + rope], the last axis contiguous; cache: [pages, page size, rank + rope], of a float type, fp8 too; lengths: int32 [batch]; out: contiguous
// [batch, heads, rank].
inline Result<void> mlaDecode(const Tensor &out, const Tensor &q, const Tensor &cache, const Tensor &lengths,
                              int64_t rank, const MlaOptions &mla = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("mlaDecode");
  checks.rank({"q", q}, 3).rank({"cache", cache}, 3).floats({{"q", q}, {"out", out}});
  checks.contiguousRows({{"q", q}, {"cache", cache}});
  checks.that(detail::isCacheType(cache.dtype()),
              "`cache` has type " + detail::Checks::name(cache.dtype()) + ", but a float type is expected");
  if (checks.failed())
    return checks.error();
  int64_t batch = q.shape()[0], heads = q.shape()[1], width = q.shape()[2], pageSize = cache.shape()[1];
  int64_t longest = mla.pages ? pageSize * mla.pages->shape().back() : pageSize;
  checks.that(rank >= 1 && rank < width && rank <= 512 && width - rank <= 128,
              "rows of " + std::to_string(width) + " elements have " + std::to_string(rank) +
                  " latent ones, but 1 to 512 and 1 to 128 others are expected");
  checks.shape({"cache", cache}, {mla.pages ? cache.shape()[0] : batch, pageSize, width});
  checks.shape({"out", out}, {batch, heads, rank}).contiguous({{"out", out}});
  checks.shape({"lengths", lengths}, {batch})
      .dtype({"lengths", lengths}, DType::Int32)
      .contiguous({{"lengths", lengths}});
  if (mla.pages)
    checks.shape({"pages", *mla.pages}, {batch, mla.pages->shape().back()})
        .dtype({"pages", *mla.pages}, DType::Int32)
        .contiguousRows({{"pages", *mla.pages}});
  if (checks.failed())
    return checks.error();
  int64_t blockH = 16, blockN = std::clamp<int64_t>(detail::powerOfTwo(longest), 16, 32);
  int64_t blockR = std::max<int64_t>(16, detail::powerOfTwo(rank)),
          blockP = std::max<int64_t>(16, detail::powerOfTwo(width - rank)), programs = detail::cdiv(heads, blockH);
  int64_t splits = mla.splits ? mla.splits : detail::decodeSplits(batch * programs, longest, blockN, options);
  Result<Tensor> lse = detail::scratch(q, DType::Fp32, {batch, heads, splits}, options);
  Result<Tensor> partial = splits > 1 ? detail::scratch(q, DType::Fp32, {batch, heads, splits, rank}, options) : out;
  if (!lse || !partial)
    return (lse ? partial : lse).error();
  LaunchOptions tuned = options;
  if (detail::isGpu(options) && tuned.numStages == 0)
    tuned.numStages = 2;
  Result<void> done = detail::launch(detail::find("mla_decode", "mla_decode"), {splits, programs, batch}, tuned,
                                     {q,
                                      cache,
                                      lengths,
                                      detail::optionalArgument(mla.pages),
                                      *partial,
                                      *lse,
                                      mla.cacheScale * mla.scale.value_or(1 / std::sqrt(static_cast<double>(width))),
                                      mla.cacheScale,
                                      q.strides()[0],
                                      q.strides()[1],
                                      cache.strides()[0],
                                      cache.strides()[1],
                                      mla.pages ? mla.pages->strides()[0] : 0,
                                      heads,
                                      rank,
                                      width - rank,
                                      mla.pages ? pageSize : 1,
                                      blockH,
                                      blockN,
                                      blockR,
                                      blockP,
                                      mla.precision});
  if (!done || splits == 1)
    return done;
  return detail::launch(detail::find("decode_attention", "decode_attention_combine"), {batch * heads}, options,
                        {*partial, *lse, out, splits, rank, detail::powerOfTwo(splits), blockR});
}

} // namespace nereid::kernels
