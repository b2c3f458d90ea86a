// transpose.hpp: transpose(out, x): out[…, j, i] = x[…, i, j] for matrices, or for a batch of them.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

inline Result<void> transpose(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  detail::Checks checks("transpose");
  checks.that(x.rank() == 2 || x.rank() == 3,
              "`x` has shape " + detail::Checks::text(x.shape()) + ", but 2 or 3 axes are expected");
  if (checks.failed())
    return checks.error();
  Shape expected = x.shape();
  std::swap(expected.back(), expected[expected.size() - 2]);
  checks.shape({"out", out}, expected).sameType({"out", out}, {"x", x}).contiguousRows({{"out", out}, {"x", x}});
  if (checks.failed())
    return checks.error();
  constexpr int64_t kBlock = 64;
  bool isBatch = x.rank() == 3;
  int64_t batch = isBatch ? x.shape()[0] : 1, rows = expected.back(), columns = x.shape().back();
  return detail::launch(detail::find("transpose", "transpose"),
                        {detail::cdiv(columns, kBlock), detail::cdiv(rows, kBlock), batch}, options,
                        {x, out, rows, columns, isBatch ? x.strides()[0] : 0, x.strides()[x.rank() - 2],
                         isBatch ? out.strides()[0] : 0, out.strides()[x.rank() - 2], kBlock, kBlock,
                         detail::cacheModifier(out)});
}

} // namespace nereid::kernels
