// rms_norm.hpp: rmsNorm(out, x, weight) over the rows of a matrix, and its backward pass.
#pragma once

#include "nereid/kernels/reduce.hpp"

namespace nereid::kernels {

// out = x / sqrt(mean(x^2) + eps) * weight. Returns the factor of each row for the backward pass.
inline Result<Tensor> rmsNorm(const Tensor &out, const Tensor &x, const Tensor &weight, double eps = 1e-6,
                              const LaunchOptions &options = {}) {
  detail::Checks checks("rmsNorm");
  checks.rank({"x", x}, 2).sameShape({"out", out}, {"x", x}).contiguousRows({{"out", out}, {"x", x}});
  checks.floats({{"out", out}, {"x", x}, {"weight", weight}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  checks.shape({"weight", weight}, {columns}).contiguous({{"weight", weight}});
  if (checks.failed())
    return checks.error();
  Result<Tensor> rstd = detail::scratch(x, DType::Fp32, {rows}, options);
  if (!rstd)
    return rstd;
  bool isLong = columns > detail::kLongestRow;
  int64_t block = isLong ? detail::kLongBlock : detail::powerOfTwo(columns);
  Result<void> done = detail::launch(
      detail::find("rms_norm", isLong ? "rms_norm_forward_long" : "rms_norm_forward"), {columns ? rows : 0},
      detail::withWarps(options, block),
      {x, weight, out, *rstd, x.strides()[0], out.strides()[0], columns, eps, block, detail::cacheModifier(out)});
  return done ? rstd : Result<Tensor>(done.error());
}

// The gradients of x and weight (the latter in fp32) from the gradient of out.
inline Result<void> rmsNormBackward(const Tensor &gradX, const Tensor &gradWeight, const Tensor &gradOut,
                                    const Tensor &x, const Tensor &weight, const Tensor &rstd,
                                    const LaunchOptions &options = {}) {
  detail::Checks checks("rmsNormBackward");
  checks.rank({"x", x}, 2).sameShape({"gradX", gradX}, {"x", x}).sameShape({"gradOut", gradOut}, {"x", x});
  checks.contiguousRows({{"gradX", gradX}, {"gradOut", gradOut}, {"x", x}});
  checks.floats({{"gradX", gradX}, {"gradOut", gradOut}, {"x", x}, {"weight", weight}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1], programs = std::min<int64_t>(rows, detail::rowPrograms(options));
  checks.shape({"rstd", rstd}, {rows}).dtype({"rstd", rstd}, DType::Fp32);
  for (detail::Named each : {detail::Named{"weight", weight}, {"gradWeight", gradWeight}})
    checks.shape(each, {columns}).contiguous({each});
  if (checks.failed())
    return checks.error();
  Result<Tensor> partial = detail::scratch(x, DType::Fp32, {programs, columns}, options);
  if (!partial)
    return partial.error();
  Result<void> done =
      detail::launch(detail::find("rms_norm", "rms_norm_backward"), {columns ? programs : 0},
                     detail::withWarps(options, detail::powerOfTwo(columns)),
                     {gradOut, x, weight, rstd, gradX, *partial, gradOut.strides()[0], x.strides()[0],
                      gradX.strides()[0], rows, columns, detail::powerOfTwo(columns), detail::cacheModifier(gradX)});
  return done ? sum(gradWeight, *partial, 0, options) : done;
}

} // namespace nereid::kernels
