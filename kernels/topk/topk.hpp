// topk.hpp: topk(values, columns, x): the k largest elements of each row, in order, with their columns.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// values (of x's type) and columns (int64) are [rows, k], contiguous; the first column of equal elements comes first, NaN before
// all others (behind them, if the smallest are asked for). k is 1 to 1024.
inline Result<void> topk(const Tensor &values, const Tensor &columns, const Tensor &x, bool largest = true,
                         const LaunchOptions &options = {}) {
  detail::Checks checks("topk");
  checks.rank({"x", x}, 2).rank({"values", values}, 2).contiguousRows({{"x", x}}).floats({{"x", x}});
  checks.sameType({"values", values}, {"x", x}).dtype({"columns", columns}, DType::Int64);
  checks.contiguous({{"values", values}, {"columns", columns}}).sameShape({"columns", columns}, {"values", values});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], width = x.shape()[1], k = values.shape()[1];
  checks.shape({"values", values}, {rows, k});
  checks.that(k >= 1 && k <= width && k <= 1024,
              std::to_string(k) + " of " + std::to_string(width) +
                  " elements are asked for, but 1 to 1024 of at least so many are expected");
  if (checks.failed())
    return checks.error();
  int64_t most = detail::powerOfTwo(k);
  // Counting costs the same for any k; a network for few is shorter.
  if (detail::isGpu(options) && k >= 16 && width <= detail::kLongestRow) {
    int64_t row = detail::powerOfTwo(width);
    return detail::launch(detail::find("topk", "topk_rows_by_count"), {rows}, detail::withWarps(options, row),
                          {x, values, columns, x.strides()[0], width, k, most, row, largest});
  }
  int64_t block = std::max(most, std::min<int64_t>(1024, detail::powerOfTwo(width)));
  return detail::launch(detail::find("topk", "topk_rows"), {rows}, options,
                        {x, values, columns, x.strides()[0], width, k, most, block, largest});
}

} // namespace nereid::kernels
