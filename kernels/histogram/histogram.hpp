// histogram.hpp: bincount(counts, x) of integers and histogram(counts, x, low, high) of floats.
#pragma once

#include "nereid/kernels/reduce.hpp"

namespace nereid::kernels {

namespace detail {
inline Result<void> countBins(Checks &checks, const Tensor &counts, const Tensor &x, double low, double high,
                              const LaunchOptions &options) {
  checks.rank({"counts", counts}, 1).dtype({"counts", counts}, DType::Int32);
  checks.contiguous({{"counts", counts}, {"x", x}});
  if (checks.failed())
    return checks.error();
  int64_t bins = counts.shape()[0], count = x.count();
  checks.that(bins >= 1 && bins < 8192, "there are " + std::to_string(bins) + " bins, but 1 to 8191 are expected");
  if (checks.failed())
    return checks.error();
  constexpr int64_t kBlock = 1024;
  int64_t programs = std::clamp<int64_t>(cdiv(count, 4 * kBlock), 1, isGpu(options) ? rowPrograms(options) : 16);
  Result<Tensor> partial = scratch(x, DType::Int32, {programs, bins}, options);
  if (!partial)
    return partial.error();
  Result<void> done = launch(find("histogram", "histogram"), {programs}, options,
                             {x, *partial, count, bins, low, high, powerOfTwo(bins + 1), kBlock});
  return done ? sum(counts, *partial, 0, options) : done;
}
} // namespace detail

// counts[b], int32, is how many elements of x (int32, int64 or uint8) are b; others are not counted.
inline Result<void> bincount(const Tensor &counts, const Tensor &x, const LaunchOptions &options = {}) {
  detail::Checks checks("bincount");
  checks.that(x.dtype() == DType::Int32 || x.dtype() == DType::Int64 || x.dtype() == DType::UInt8,
              "`x` has type " + detail::Checks::name(x.dtype()) + ", but i32, i64 or u8 is expected");
  return detail::countBins(checks, counts, x, 0, 1, options);
}

// counts[b], int32, is how many elements of x fall into bin b of equally wide ones from low to high; those outside and NaN are
// not counted.
inline Result<void> histogram(const Tensor &counts, const Tensor &x, double low, double high,
                              const LaunchOptions &options = {}) {
  detail::Checks checks("histogram");
  checks.floats({{"x", x}})
      .that(low < high, "the first bin begins at " + std::to_string(low) +
                            ", which is not below the end of the last one, " + std::to_string(high));
  return detail::countBins(checks, counts, x, low, high, options);
}

} // namespace nereid::kernels
