// rope.hpp: rope(out, x, cos, sin): rotary position embedding of [batch, length, heads, dim].
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct RopeOptions {
  int64_t firstPosition = 0; // the row of the tables for the first position of x
  bool interleaved = false;  // pairs are (2 i, 2 i + 1) and not (i, i + dim / 2)
  bool inverse = false;      // turn back: also the backward pass
};

// cos and sin are [positions, dim / 2]. The last axis of x and out is contiguous; out may be x.
inline Result<void> rope(const Tensor &out, const Tensor &x, const Tensor &cos, const Tensor &sin,
                         const RopeOptions &rope = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("rope");
  checks.rank({"x", x}, 4).sameShape({"out", out}, {"x", x}).contiguousRows({{"x", x}, {"out", out}});
  checks.floats({{"out", out}, {"x", x}, {"cos", cos}, {"sin", sin}})
      .rank({"cos", cos}, 2)
      .sameShape({"sin", sin}, {"cos", cos});
  checks.contiguous({{"cos", cos}, {"sin", sin}});
  if (checks.failed())
    return checks.error();
  int64_t batch = x.shape()[0], length = x.shape()[1], heads = x.shape()[2], dim = x.shape()[3], half = dim / 2;
  checks.that(dim % 2 == 0,
              "the last axis of `x` has " + std::to_string(dim) + " elements, but an even number is expected");
  checks.that(cos.shape()[1] == half, "the tables have " + std::to_string(cos.shape()[1]) + " columns, but half of " +
                                          std::to_string(dim) + " is expected");
  checks.that(rope.firstPosition >= 0 && rope.firstPosition + length <= cos.shape()[0],
              "positions " + std::to_string(rope.firstPosition) + " to " + std::to_string(rope.firstPosition + length) +
                  " are needed, but the tables have " + std::to_string(cos.shape()[0]));
  if (checks.failed())
    return checks.error();
  if (x.count() == 0)
    return {};
  int64_t block = detail::powerOfTwo(half),
          blockHeads = std::min(detail::powerOfTwo(heads), std::max<int64_t>(1, 2048 / block));
  return detail::launch(detail::find("rope", "rope"), {length, batch}, options,
                        {x, cos, sin, out, x.strides()[0], x.strides()[1], x.strides()[2], out.strides()[0],
                         out.strides()[1], out.strides()[2], heads, half, rope.firstPosition, rope.interleaved,
                         rope.inverse, blockHeads, block});
}

} // namespace nereid::kernels
