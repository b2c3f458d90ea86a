// softmax.hpp: softmax(out, x, axis): softmax of the rows (axis 1) or columns (axis 0) of a matrix; softmaxBackward of rows; logSoftmax and sparsemax of rows, with their gradients.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// The rows of both are contiguous and any stride apart. The element types may differ.
inline Result<void> softmax(const Tensor &out, const Tensor &x, int axis = 1, const LaunchOptions &options = {}) {
  detail::Checks checks("softmax");
  checks.rank({"x", x}, 2).sameShape({"out", out}, {"x", x}).contiguousRows({{"out", out}, {"x", x}});
  checks.floats({{"out", out}, {"x", x}});
  checks.that(axis == 0 || axis == 1, "the axis is " + std::to_string(axis) + ", but 0 or 1 is expected");
  if (checks.failed())
    return checks.error();
  if (x.count() == 0)
    return {};
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  std::string cache = detail::cacheModifier(out);
  if (axis == 0) {
    int64_t block = std::min<int64_t>(512, detail::powerOfTwo(columns));
    return detail::launch(detail::find("softmax", "softmax_columns"), {detail::cdiv(columns, block)}, options,
                          {x, out, x.strides()[0], out.strides()[0], rows, columns, 8, block, cache});
  }
  bool isLong = columns > detail::kLongestRow;
  int64_t block = isLong ? detail::kLongBlock : detail::powerOfTwo(columns);
  return detail::launch(detail::find("softmax", isLong ? "softmax_online" : "softmax"), {rows},
                        detail::withWarps(options, block),
                        {x, out, x.strides()[0], out.strides()[0], columns, block, cache});
}

namespace detail {
// A function of rows of any length, and the gradient of x from that of out and out itself.
inline Result<void> rowsForward(const char *function, const char *kernel, const Tensor &out, const Tensor &x,
                                const LaunchOptions &options) {
  Checks checks(function);
  checks.rank({"x", x}, 2).sameShape({"out", out}, {"x", x}).contiguousRows({{"out", out}, {"x", x}});
  checks.floats({{"out", out}, {"x", x}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1], block = std::min(kLongBlock, powerOfTwo(columns));
  return launch(find("softmax", kernel), {columns ? rows : 0}, withWarps(options, block),
                {x, out, x.strides()[0], out.strides()[0], columns, block, cacheModifier(out)});
}
inline Result<void> rowsBackward(const char *function, const char *kernel, const Tensor &gradX, const Tensor &gradOut,
                                 const Tensor &out, const LaunchOptions &options) {
  Checks checks(function);
  checks.rank({"out", out}, 2);
  for (Named each : {Named{"gradX", gradX}, {"gradOut", gradOut}, {"out", out}})
    checks.sameShape(each, {"out", out}).contiguousRows({each}).floats({each});
  if (checks.failed())
    return checks.error();
  int64_t rows = out.shape()[0], columns = out.shape()[1], block = std::min(kLongBlock, powerOfTwo(columns));
  return launch(find("softmax", kernel), {columns ? rows : 0}, withWarps(options, block),
                {gradOut, out, gradX, gradOut.strides()[0], out.strides()[0], gradX.strides()[0], columns, block,
                 cacheModifier(gradX)});
}
} // namespace detail

// The gradient of x from that of out, for rows.
inline Result<void> softmaxBackward(const Tensor &gradX, const Tensor &gradOut, const Tensor &out,
                                    const LaunchOptions &options = {}) {
  return detail::rowsBackward("softmaxBackward", "softmax_backward", gradX, gradOut, out, options);
}

// x - log(sum(exp(x))) of rows.
inline Result<void> logSoftmax(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  return detail::rowsForward("logSoftmax", "log_softmax", out, x, options);
}
inline Result<void> logSoftmaxBackward(const Tensor &gradX, const Tensor &gradOut, const Tensor &out,
                                       const LaunchOptions &options = {}) {
  return detail::rowsBackward("logSoftmaxBackward", "log_softmax_backward", gradX, gradOut, out, options);
}

// The nearest points of the simplex, which have zeros: max(x - threshold, 0) of rows, with sum 1.
inline Result<void> sparsemax(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  return detail::rowsForward("sparsemax", "sparsemax", out, x, options);
}
inline Result<void> sparsemaxBackward(const Tensor &gradX, const Tensor &gradOut, const Tensor &out,
                                      const LaunchOptions &options = {}) {
  return detail::rowsBackward("sparsemaxBackward", "sparsemax_backward", gradX, gradOut, out, options);
}

} // namespace nereid::kernels
