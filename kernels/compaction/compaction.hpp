// compaction.hpp: compact(out, number, x, mask) packs the elements that a mask names, nonzero(places, number, mask) their places, unique({…}, x) the values of a vector.
#pragma once

#include "nereid/kernels/radix_sort.hpp"

namespace nereid::kernels {

namespace detail {
// Chunks of a vector: one program each, and what it keeps.
struct CompactionPlan {
  static constexpr int64_t kBlock = 1024;
  int64_t count, programs, chunk;
  Result<Tensor> counts;

  CompactionPlan(const Tensor &x, const LaunchOptions &options)
      : count(x.count()), programs(std::clamp<int64_t>(cdiv(count, 4 * kBlock), 1, isGpu(options) ? 512 : 16)),
        chunk(std::max<int64_t>(kBlock, cdiv(cdiv(count, programs), kBlock) * kBlock)),
        counts(scratch(x, DType::Int32, {programs}, options)) {}

  Result<void> countKept(const Tensor &x, const char *kind, const LaunchOptions &options) const {
    if (!counts)
      return counts.error();
    return launch(find("compaction", "count_kept"), {programs}, options, {x, *counts, count, chunk, kind, kBlock});
  }
};

inline Result<void> compacted(Checks &checks, const std::optional<Tensor> &x, const Tensor &mask,
                              const std::optional<Tensor> &out, const std::optional<Tensor> &places,
                              const Tensor &number, const LaunchOptions &options) {
  checks.rank({"mask", mask}, 1).contiguous({{"mask", mask}});
  checks.shape({"number", number}, {1}).dtype({"number", number}, DType::Int32);
  checks.places({"mask", mask}, mask.count());
  if (checks.failed())
    return checks.error();
  CompactionPlan plan(mask, options);
  Result<void> done = plan.countKept(mask, "mask", options);
  return done ? launch(find("compaction", "compact"), {plan.programs}, options,
                       {optionalArgument(x), mask, *plan.counts, optionalArgument(out), optionalArgument(places),
                        number, plan.count, plan.chunk, plan.kBlock, 128})
              : done;
}
} // namespace detail

// out begins with the elements of the vector x whose mask is not 0, in their order; number, int32 [1]: how many. out is as long as x, of its type; all contiguous.
inline Result<void> compact(const Tensor &out, const Tensor &number, const Tensor &x, const Tensor &mask,
                            const LaunchOptions &options = {}) {
  detail::Checks checks("compact");
  checks.sameShape({"x", x}, {"mask", mask}).sameShape({"out", out}, {"mask", mask});
  checks.sameType({"out", out}, {"x", x}).contiguous({{"x", x}, {"out", out}});
  return detail::compacted(checks, x, mask, out, {}, number, options);
}

// places (int32 or int64) begin with where mask is not 0; number, int32 [1]: how many there are.
inline Result<void> nonzero(const Tensor &places, const Tensor &number, const Tensor &mask,
                            const LaunchOptions &options = {}) {
  detail::Checks checks("nonzero");
  checks.sameShape({"places", places}, {"mask", mask}).contiguous({{"places", places}});
  checks.that(places.dtype() == DType::Int32 || places.dtype() == DType::Int64,
              "`places` has type " + detail::Checks::name(places.dtype()) + ", but i32 or i64 is expected");
  return detail::compacted(checks, {}, mask, {}, places, number, options);
}

// What unique finds: vectors as long as x. values (of its type) and counts (int32 or int64) begin with the different values in ascending order and how often each occurs, number (int32 [1]) says how many those are; inverse
// (int32 or int64) is the number of each element's value.
struct Unique {
  Tensor values, inverse, counts, number;
};

// x: int32, int64 or fp32 [n], contiguous. Each NaN is a value of its own.
inline Result<void> unique(const Unique &found, const Tensor &x, const LaunchOptions &options = {}) {
  detail::Checks checks("unique");
  checks.rank({"x", x}, 1).contiguous({{"x", x}});
  for (detail::Named each :
       {detail::Named{"values", found.values}, {"inverse", found.inverse}, {"counts", found.counts}})
    checks.sameShape(each, {"x", x}).contiguous({each});
  checks.sameType({"values", found.values}, {"x", x});
  checks.shape({"number", found.number}, {1}).dtype({"number", found.number}, DType::Int32);
  if (checks.failed())
    return checks.error();
  int64_t count = x.count();
  Result<Tensor> sorted = detail::scratch(x, x.dtype(), {count}, options),
                 from = detail::scratch(x, DType::Int32, {count}, options),
                 starts = detail::scratch(x, DType::Int32, {count}, options);
  for (const Result<Tensor> *each : {&sorted, &from, &starts})
    if (!*each)
      return each->error();
  Result<void> done = sort(*sorted, *from, x, {}, options);
  if (!done)
    return done;
  detail::CompactionPlan plan(x, options);
  done = plan.countKept(*sorted, "firsts", options);
  if (done)
    done = detail::launch(detail::find("compaction", "unique_of_sorted"), {plan.programs}, options,
                          {*sorted, *from, *plan.counts, found.values, found.inverse, *starts, found.number, count,
                           plan.chunk, plan.kBlock, 128});
  return done ? detail::launch(detail::find("compaction", "run_lengths"), {detail::cdiv(count, 1024)}, options,
                               {*starts, found.number, found.counts, count, 1024})
              : done;
}

} // namespace nereid::kernels
