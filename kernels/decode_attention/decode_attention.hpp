// decode_attention.hpp: decodeAttention(out, q, kCache, vCache, lengths): one new query for each sequence over its cache.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <cmath>

namespace nereid::kernels {

struct DecodeOptions {
  std::optional<Tensor> pages = {};       // int32 [batch, pages of a sequence]; without it page b holds sequence b
  std::optional<double> scale = {};       // of the scores; 1 / sqrt(dim) if not given
  double kScale = 1, vScale = 1;          // what the caches are multiplied by
  int64_t window = 0;                     // so many of the last keys are seen; 0: all
  double softcap = 0;                     // a score s becomes softcap * tanh(s / softcap); 0: it stays
  std::optional<Tensor> alibiSlopes = {}; // fp32, one for each head of q
  std::string precision = "ieee";         // of fp32 queries, as tl.dot has it
  int64_t splits = 0;                     // shares of the keys; 0: what fills the device
};

namespace detail {
// So many shares that every multiprocessor (a CPU has a thread pool) has two programs, and each share a few blocks.
inline int64_t decodeSplits(int64_t programs, int64_t longest, int64_t block, const LaunchOptions &options) {
  int64_t wanted = isGpu(options) ? 2 * multiprocessors(options) : 16;
  return std::clamp<int64_t>(wanted / std::max<int64_t>(programs, 1), 1,
                             std::min<int64_t>(128, cdiv(longest, 4 * block)));
}

inline bool isCacheType(DType type) {
  return type == DType::Fp32 || type == DType::Fp16 || type == DType::Bf16 || type == DType::Fp8E4NV ||
         type == DType::Fp8E5;
}
} // namespace detail

// q and out: [batch, heads, dim], out contiguous. The caches: [pages, page size, heads of k, dim] with any strides but 1
// for the last axis, of a float type, fp8 too. lengths: int32 [batch]. dim from 16 to 256.
inline Result<void> decodeAttention(const Tensor &out, const Tensor &q, const Tensor &kCache, const Tensor &vCache,
                                    const Tensor &lengths, const DecodeOptions &decode = {},
                                    const LaunchOptions &options = {}) {
  detail::Checks checks("decodeAttention");
  checks.rank({"q", q}, 3).rank({"kCache", kCache}, 4).sameShape({"out", out}, {"q", q});
  checks.sameShape({"vCache", vCache}, {"kCache", kCache}).sameType({"vCache", vCache}, {"kCache", kCache});
  checks.floats({{"q", q}, {"out", out}}).contiguous({{"out", out}});
  checks.contiguousRows({{"q", q}, {"kCache", kCache}, {"vCache", vCache}});
  checks.that(detail::isCacheType(kCache.dtype()),
              "`kCache` has type " + detail::Checks::name(kCache.dtype()) + ", but a float type is expected");
  if (checks.failed())
    return checks.error();
  int64_t batch = q.shape()[0], heads = q.shape()[1], dim = q.shape()[2], headsK = kCache.shape()[2];
  int64_t pageSize = kCache.shape()[1], longest = decode.pages ? pageSize * decode.pages->shape().back() : pageSize;
  checks.that(headsK > 0 && heads % headsK == 0, "`q` has " + std::to_string(heads) +
                                                     " heads, which is no multiple of the " + std::to_string(headsK) +
                                                     " heads of `kCache`");
  checks.that(dim >= 16 && dim <= 256, "a head has " + std::to_string(dim) + " elements, but 16 to 256 are expected");
  checks.shape({"kCache", kCache}, {decode.pages ? kCache.shape()[0] : batch, pageSize, headsK, dim});
  checks.shape({"lengths", lengths}, {batch})
      .dtype({"lengths", lengths}, DType::Int32)
      .contiguous({{"lengths", lengths}});
  if (decode.pages)
    checks.shape({"pages", *decode.pages}, {batch, decode.pages->shape().back()})
        .dtype({"pages", *decode.pages}, DType::Int32)
        .contiguousRows({{"pages", *decode.pages}});
  if (decode.alibiSlopes)
    checks.shape({"alibiSlopes", *decode.alibiSlopes}, {heads})
        .dtype({"alibiSlopes", *decode.alibiSlopes}, DType::Fp32)
        .contiguous({{"alibiSlopes", *decode.alibiSlopes}});
  if (checks.failed())
    return checks.error();
  int64_t group = heads / headsK, blockN = std::clamp<int64_t>(detail::powerOfTwo(longest), 16, dim > 128 ? 32 : 64);
  int64_t blockD = detail::powerOfTwo(dim),
          blockH = std::max<int64_t>(detail::isGpu(options) ? 16 : 1, detail::powerOfTwo(group));
  int64_t splits = decode.splits ? decode.splits : detail::decodeSplits(batch * headsK, longest, blockN, options);
  Result<Tensor> lse = detail::scratch(q, DType::Fp32, {batch, heads, splits}, options);
  Result<Tensor> partial = splits > 1 ? detail::scratch(q, DType::Fp32, {batch, heads, splits, dim}, options) : out;
  if (!lse || !partial)
    return (lse ? partial : lse).error();
  LaunchOptions tuned = options;
  if (detail::isGpu(options) && tuned.numStages == 0)
    tuned.numStages = 3;
  Result<void> done =
      detail::launch(detail::find("decode_attention", "decode_attention"), {splits, batch * headsK}, tuned,
                     {q,
                      kCache,
                      vCache,
                      lengths,
                      detail::optionalArgument(decode.pages),
                      detail::optionalArgument(decode.alibiSlopes),
                      *partial,
                      *lse,
                      decode.kScale * decode.scale.value_or(1 / std::sqrt(static_cast<double>(dim))),
                      decode.vScale,
                      decode.window,
                      q.strides()[0],
                      q.strides()[1],
                      kCache.strides()[0],
                      kCache.strides()[1],
                      kCache.strides()[2],
                      vCache.strides()[0],
                      vCache.strides()[1],
                      vCache.strides()[2],
                      decode.pages ? decode.pages->strides()[0] : 0,
                      heads,
                      group,
                      dim,
                      decode.pages ? pageSize : 1,
                      blockH,
                      blockN,
                      blockD,
                      decode.softcap,
                      decode.precision});
  if (!done || splits == 1)
    return done;
  return detail::launch(detail::find("decode_attention", "decode_attention_combine"), {batch * heads}, options,
                        {*partial, *lse, out, splits, dim, detail::powerOfTwo(splits), blockD});
}

} // namespace nereid::kernels
