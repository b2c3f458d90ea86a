// kv_cache.hpp: writeKvCache(kCache, vCache, k, v, slots) and copyPages(cache, pairs): a paged cache of keys and values.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// What the values are divided by on their way into an fp8 cache.
struct CacheScales {
  double k = 1, v = 1;
};

// k and v: [tokens, heads, dim]; the caches: [pages, page size, heads, dim], whose rows are contiguous. Token t goes to row
// slots[t] (int64 [tokens]) of all pages' rows; a negative slot is left out. The caches have k's type, or a narrower one.
inline Result<void> writeKvCache(const Tensor &kCache, const Tensor &vCache, const Tensor &k, const Tensor &v,
                                 const Tensor &slots, const CacheScales &scales = {},
                                 const LaunchOptions &options = {}) {
  detail::Checks checks("writeKvCache");
  checks.rank({"k", k}, 3).rank({"kCache", kCache}, 4).sameShape({"v", v}, {"k", k}).floats({{"k", k}, {"v", v}});
  checks.sameShape({"vCache", vCache}, {"kCache", kCache}).sameType({"vCache", vCache}, {"kCache", kCache});
  checks.sameType({"v", v}, {"k", k});
  if (checks.failed())
    return checks.error();
  int64_t tokens = k.shape()[0], heads = k.shape()[1], dim = k.shape()[2], pageSize = kCache.shape()[1];
  checks.shape({"kCache", kCache}, {kCache.shape()[0], pageSize, heads, dim});
  checks.shape({"slots", slots}, {tokens}).dtype({"slots", slots}, DType::Int64).contiguous({{"slots", slots}});
  for (detail::Named each : {detail::Named{"k", k}, {"v", v}, {"kCache", kCache}, {"vCache", vCache}}) {
    const Shape &strides = each.tensor.strides();
    size_t last = strides.size() - 1;
    checks.contiguousRows({each}).that(strides[last - 1] == dim || heads <= 1,
                                       std::string("the heads of `") + each.name + "` must lie one after the other");
  }
  if (checks.failed())
    return checks.error();
  int64_t n = heads * dim, block = std::clamp<int64_t>(detail::powerOfTwo(n), 16, detail::kVectorBlock);
  return detail::launch(detail::find("kv_cache", "write_kv_cache"), {tokens, detail::cdiv(n, block)},
                        detail::withWarps(options, block),
                        {k, v, kCache, vCache, slots, scales.k, scales.v, k.strides()[0], v.strides()[0],
                         kCache.strides()[0], kCache.strides()[1], vCache.strides()[0], vCache.strides()[1], pageSize,
                         n, block, k.dtype() != kCache.dtype() || scales.k != 1 || scales.v != 1});
}

// cache[pairs[i][1]] = cache[pairs[i][0]]: pages as the first axis of a contiguous tensor; pairs: int64 [n, 2], and no page
// is both source and destination.
inline Result<void> copyPages(const Tensor &cache, const Tensor &pairs, const LaunchOptions &options = {}) {
  detail::Checks checks("copyPages");
  checks.contiguous({{"cache", cache}, {"pairs", pairs}})
      .dtype({"pairs", pairs}, DType::Int64)
      .rank({"pairs", pairs}, 2);
  checks.that(cache.rank() > 0, "`cache` has no axis of pages");
  if (checks.failed())
    return checks.error();
  checks.shape({"pairs", pairs}, {pairs.shape()[0], 2});
  if (checks.failed())
    return checks.error();
  if (cache.count() == 0)
    return {};
  int64_t n = cache.count() / cache.shape()[0];
  return detail::launch(detail::find("kv_cache", "copy_pages"),
                        {pairs.shape()[0], detail::cdiv(n, detail::kVectorBlock)},
                        detail::withWarps(options, detail::kVectorBlock), {cache, pairs, n, n, detail::kVectorBlock});
}

} // namespace nereid::kernels
