// strided_copy.hpp: stridedCopy(out, x): copies between tensors of any strides and element types.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

namespace detail {
struct CopyAxis {
  int64_t extent, xStride, outStride;
};

// The axes that matter, the one on which `out` is contiguous last; neighbours that are one run on both sides are one
// axis.
inline std::vector<CopyAxis> copyAxes(const Tensor &out, const Tensor &x) {
  std::vector<CopyAxis> axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (x.shape()[i] != 1)
      axes.push_back({x.shape()[i], x.strides()[i], out.strides()[i]});
  std::sort(axes.begin(), axes.end(), [](auto &a, auto &b) { return a.outStride > b.outStride; });
  std::vector<CopyAxis> merged;
  for (CopyAxis axis : axes) {
    bool isOneRun = !merged.empty() && merged.back().xStride == axis.extent * axis.xStride &&
                    merged.back().outStride == axis.extent * axis.outStride;
    if (isOneRun)
      merged.back() = {merged.back().extent * axis.extent, axis.xStride, axis.outStride};
    else
      merged.push_back(axis);
  }
  return merged;
}
} // namespace detail

inline Result<void> stridedCopy(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  detail::Checks checks("stridedCopy");
  checks.sameShape({"out", out}, {"x", x});
  if (checks.failed())
    return checks.error();
  if (x.count() == 0)
    return {};
  std::vector<detail::CopyAxis> axes = detail::copyAxes(out, x);
  checks.that(axes.size() <= 4, "`x` has shape " + detail::Checks::text(x.shape()) +
                                    ", but at most 4 axes that do not continue each other can be copied");
  if (checks.failed())
    return checks.error();
  while (axes.size() < 4)
    axes.insert(axes.begin(), {1, 0, 0});
  int64_t rows = axes[0].extent * axes[1].extent * axes[2].extent, columns = axes[3].extent;
  if (columns == 1) // all axes are 1
    axes[3].xStride = axes[3].outStride = 1;
  int64_t blockColumns = std::min<int64_t>(4096, detail::powerOfTwo(columns));
  int64_t blockRows = std::min<int64_t>(std::max<int64_t>(1, 4096 / blockColumns), detail::powerOfTwo(rows));
  std::vector<Argument> arguments{x, out, rows, axes[1].extent, axes[2].extent, columns};
  for (auto &axis : axes)
    arguments.push_back(axis.xStride);
  for (auto &axis : axes)
    arguments.push_back(axis.outStride);
  arguments.insert(arguments.end(), {blockRows, blockColumns, detail::cacheModifier(out)});
  return detail::launch(detail::find("strided_copy", "strided_copy"),
                        {detail::cdiv(rows, blockRows), detail::cdiv(columns, blockColumns)}, options, arguments);
}

} // namespace nereid::kernels
