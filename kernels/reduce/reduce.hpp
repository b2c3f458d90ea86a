// reduce.hpp: reductions of the rows (axis 1) or columns (axis 0) of a matrix: sum(out, x, axis), argmax(out, x),
// variance(mean, variance, x).
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

namespace detail {
inline Result<void> reduce(const std::string &kind, const Tensor &out, const Tensor &x, int axis,
                           const LaunchOptions &options) {
  Checks checks(kind);
  checks.rank({"x", x}, 2)
      .that(axis == 0 || axis == 1, "the axis is " + std::to_string(axis) + ", but 0 or 1 is expected");
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  checks.contiguousRows({{"x", x}}).shape({"out", out}, {axis ? rows : columns}).contiguous({{"out", out}});
  checks.that(kind == "sum" || kind == "prod" || x.shape()[axis] > 0, "the axis has no elements");
  if (checks.failed())
    return checks.error();
  int64_t stride = x.strides()[0];
  if (axis == 1)
    return launch(find("reduce", "reduce_rows"), {rows}, options,
                  {x, out, stride, columns, kind, std::min(kLongBlock, powerOfTwo(columns))});
  int64_t block = std::min<int64_t>(512, powerOfTwo(columns));
  return launch(find("reduce", "reduce_columns"), {cdiv(columns, block)}, options,
                {x, out, stride, rows, columns, kind, 8, block});
}

inline Result<void> argument(const std::string &kind, const Tensor &out, const Tensor &x,
                             const LaunchOptions &options) {
  Checks checks("arg" + kind);
  checks.rank({"x", x}, 2).contiguousRows({{"x", x}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  checks.shape({"out", out}, {rows}).contiguous({{"out", out}}).that(columns > 0, "the rows have no elements");
  checks.that(out.dtype() == DType::Int32 || out.dtype() == DType::Int64,
              "`out` has type " + Checks::name(out.dtype()) + ", but i32 or i64 is expected");
  if (checks.failed())
    return checks.error();
  return launch(find("reduce", "arg_rows"), {rows}, options,
                {x, out, x.strides()[0], columns, kind, std::min<int64_t>(1024, powerOfTwo(columns))});
}

inline Result<void> moments(const char *kernel, int64_t longest, const Tensor &mean, const Tensor &variance,
                            const Tensor &x, int correction, const LaunchOptions &options) {
  Checks checks("variance");
  checks.rank({"x", x}, 2).contiguousRows({{"x", x}}).floats({{"x", x}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  for (Named out : {Named{"mean", mean}, Named{"variance", variance}})
    checks.shape(out, {rows}).dtype(out, DType::Fp32).contiguous({out});
  checks.that(columns > correction, "a row has " + std::to_string(columns) +
                                        " elements, but more than the correction " + std::to_string(correction) +
                                        " are needed");
  if (checks.failed())
    return checks.error();
  return launch(find("reduce", kernel), {rows}, options,
                {x, mean, variance, x.strides()[0], columns, correction, std::min(longest, powerOfTwo(columns))});
}
} // namespace detail

// axis 1: one value a row; axis 0: one value a column. Any element types; `out` is converted to.
inline Result<void> sum(const Tensor &out, const Tensor &x, int axis, const LaunchOptions &options = {}) {
  return detail::reduce("sum", out, x, axis, options);
}
inline Result<void> product(const Tensor &out, const Tensor &x, int axis, const LaunchOptions &options = {}) {
  return detail::reduce("prod", out, x, axis, options);
}
inline Result<void> max(const Tensor &out, const Tensor &x, int axis, const LaunchOptions &options = {}) {
  return detail::reduce("max", out, x, axis, options);
}
inline Result<void> min(const Tensor &out, const Tensor &x, int axis, const LaunchOptions &options = {}) {
  return detail::reduce("min", out, x, axis, options);
}
// The column of the largest or smallest element of each row, the first of equals.
inline Result<void> argmax(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  return detail::argument("max", out, x, options);
}
inline Result<void> argmin(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  return detail::argument("min", out, x, options);
}
// Mean and variance of each row, in two passes or in one (Welford); correction 1 is the sample variance.
inline Result<void> variance(const Tensor &mean, const Tensor &variance, const Tensor &x, int correction = 0,
                             const LaunchOptions &options = {}) {
  return detail::moments("variance_rows", detail::kLongBlock, mean, variance, x, correction, options);
}
inline Result<void> welford(const Tensor &mean, const Tensor &variance, const Tensor &x, int correction = 0,
                            const LaunchOptions &options = {}) {
  return detail::moments("welford_rows", 512, mean, variance, x, correction, options);
}

} // namespace nereid::kernels
