// add_rms_norm.hpp: addRmsNorm(out, sum, x, residual, weight): a residual sum and its RMS norm in one pass, and the backward pass.
#pragma once

#include "nereid/kernels/reduce.hpp"

namespace nereid::kernels {

// sum = x + residual, out = sum / sqrt(mean(sum^2) + eps) * weight. sum may be residual itself, and out may be x. Returns the
// factor of each row for the backward pass.
inline Result<Tensor> addRmsNorm(const Tensor &out, const Tensor &sum, const Tensor &x, const Tensor &residual,
                                 const Tensor &weight, double eps = 1e-6, const LaunchOptions &options = {}) {
  detail::Checks checks("addRmsNorm");
  checks.rank({"x", x}, 2);
  for (detail::Named each : {detail::Named{"out", out}, {"sum", sum}, {"x", x}, {"residual", residual}})
    checks.sameShape(each, {"x", x}).contiguousRows({each}).floats({each});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  checks.shape({"weight", weight}, {columns}).contiguous({{"weight", weight}}).floats({{"weight", weight}});
  if (checks.failed())
    return checks.error();
  Result<Tensor> rstd = detail::scratch(x, DType::Fp32, {rows}, options);
  if (!rstd)
    return rstd;
  bool isLong = columns > detail::kLongestRow;
  int64_t block = isLong ? detail::kLongBlock : detail::powerOfTwo(columns);
  Result<void> done =
      detail::launch(detail::find("add_rms_norm", isLong ? "add_rms_norm_forward_long" : "add_rms_norm_forward"),
                     {columns ? rows : 0}, detail::withWarps(options, block),
                     {x, residual, weight, out, sum, *rstd, x.strides()[0], residual.strides()[0], out.strides()[0],
                      sum.strides()[0], columns, eps, block, detail::cacheModifier(out)});
  return done ? rstd : Result<Tensor>(done.error());
}

// grad, the gradient of x and of residual alike, and that of the weight, from the gradients of out and (if the sum goes on
// somewhere) of the sum.
inline Result<void> addRmsNormBackward(const Tensor &grad, const Tensor &gradWeight, const Tensor &gradOut,
                                       const std::optional<Tensor> &gradSum, const Tensor &sum, const Tensor &weight,
                                       const Tensor &rstd, const LaunchOptions &options = {}) {
  detail::Checks checks("addRmsNormBackward");
  checks.rank({"sum", sum}, 2);
  std::vector<detail::Named> matrices{{"grad", grad}, {"gradOut", gradOut}, {"sum", sum}};
  if (gradSum)
    matrices.push_back({"gradSum", *gradSum});
  for (detail::Named each : matrices)
    checks.sameShape(each, {"sum", sum}).contiguousRows({each}).floats({each});
  if (checks.failed())
    return checks.error();
  int64_t rows = sum.shape()[0], columns = sum.shape()[1],
          programs = std::min<int64_t>(rows, detail::rowPrograms(options));
  checks.shape({"rstd", rstd}, {rows}).dtype({"rstd", rstd}, DType::Fp32);
  for (detail::Named each : {detail::Named{"weight", weight}, {"gradWeight", gradWeight}})
    checks.shape(each, {columns}).contiguous({each}).floats({each});
  if (checks.failed())
    return checks.error();
  Result<Tensor> partial = detail::scratch(sum, DType::Fp32, {programs, columns}, options);
  if (!partial)
    return partial.error();
  Result<void> done =
      detail::launch(detail::find("add_rms_norm", "add_rms_norm_backward"), {columns ? programs : 0},
                     detail::withWarps(options, detail::powerOfTwo(columns)),
                     {gradOut, detail::optionalArgument(gradSum), sum, weight, rstd, grad, *partial,
                      gradOut.strides()[0], gradSum ? gradSum->strides()[0] : 0, sum.strides()[0], grad.strides()[0],
                      rows, columns, detail::powerOfTwo(columns), detail::cacheModifier(grad)});
  return done ? kernels::sum(gradWeight, *partial, 0, options) : done;
}

} // namespace nereid::kernels
