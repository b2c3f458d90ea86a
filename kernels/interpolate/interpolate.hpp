// interpolate.hpp: interpolate(out, x, {.kind = "bilinear"}): pictures of another size, and the gradient.
#pragma once

#include "nereid/kernels/pooling.hpp"

#include <array>
#include <cmath>

namespace nereid::kernels {

struct InterpolateOptions {
  std::string kind = "nearest";         // or "nearest-exact", "bilinear"
  bool alignCorners = false;            // of bilinear: the corners of both pictures lie on each other
  std::array<double, 2> scale = {0, 0}; // how much larger the result is; 0: as the sizes say
};

namespace detail {
// How far two neighbours of a result lie apart in the picture.
inline double sourceScale(int64_t size, int64_t outSize, double scale, bool alignCorners) {
  if (alignCorners)
    return outSize > 1 ? static_cast<double>(size - 1) / static_cast<double>(outSize - 1) : 0.0;
  return scale > 0 ? 1 / scale : static_cast<double>(size) / static_cast<double>(std::max<int64_t>(outSize, 1));
}

inline Checks interpolateChecks(const char *function, Named x, Named out, const InterpolateOptions &interpolation) {
  Checks checks(function);
  checks.rank(x, 4).rank(out, 4).floats({x, out}).contiguous({x, out});
  checks.that(
      interpolation.kind == "nearest" || interpolation.kind == "nearest-exact" || interpolation.kind == "bilinear",
      "`kind` is \"" + interpolation.kind + "\", but \"nearest\", \"nearest-exact\" or \"bilinear\" is expected");
  if (checks.failed())
    return checks;
  const Shape &in = x.tensor.shape(), &result = out.tensor.shape();
  checks.shape(out, {in[0], in[1], result[2], result[3]});
  checks.that(in[2] > 0 && in[3] > 0 && in[2] * in[3] < (int64_t(1) << 31) &&
                  result[2] * result[3] < (int64_t(1) << 31),
              std::string("a plane of `") + x.name + "` has no elements, or too many");
  return checks;
}
} // namespace detail

// x and out: contiguous [batch, channels, height, width].
inline Result<void> interpolate(const Tensor &out, const Tensor &x, const InterpolateOptions &interpolation = {},
                                const LaunchOptions &options = {}) {
  detail::Checks checks = detail::interpolateChecks("interpolate", {"x", x}, {"out", out}, interpolation);
  if (checks.failed())
    return checks.error();
  const Shape &in = x.shape(), &result = out.shape();
  bool align = interpolation.alignCorners;
  detail::PlaneBlocks blocks(result);
  return detail::launch(detail::find("interpolate", "interpolate"), {blocks.count}, options,
                        {x, out, blocks.planes, in[2], in[3], result[2], result[3],
                         detail::sourceScale(in[2], result[2], interpolation.scale[0], align),
                         detail::sourceScale(in[3], result[3], interpolation.scale[1], align), interpolation.kind,
                         align, blocks.p, blocks.h, blocks.w});
}

inline Result<void> interpolateBackward(const Tensor &gradX, const Tensor &gradOut,
                                        const InterpolateOptions &interpolation = {},
                                        const LaunchOptions &options = {}) {
  detail::Checks checks =
      detail::interpolateChecks("interpolateBackward", {"gradX", gradX}, {"gradOut", gradOut}, interpolation);
  if (checks.failed())
    return checks.error();
  const Shape &in = gradX.shape(), &result = gradOut.shape();
  std::array<double, 2> scales;
  double width = interpolation.kind == "bilinear" ? 2 : 1;
  std::array<int64_t, 2> readers; // how many places of the result may have read one of x
  for (int axis = 0; axis < 2; ++axis) {
    scales[axis] =
        detail::sourceScale(in[2 + axis], result[2 + axis], interpolation.scale[axis], interpolation.alignCorners);
    readers[axis] = scales[axis] == 0 ? result[2 + axis] : static_cast<int64_t>(std::ceil(width / scales[axis])) + 2;
  }
  detail::PlaneBlocks blocks(in);
  return detail::launch(detail::find("interpolate", "interpolate_backward"), {blocks.count}, options,
                        {gradOut, gradX, blocks.planes, in[2], in[3], result[2], result[3], scales[0], scales[1],
                         readers[0], readers[1], interpolation.kind, interpolation.alignCorners, blocks.p, blocks.h,
                         blocks.w});
}

} // namespace nereid::kernels
