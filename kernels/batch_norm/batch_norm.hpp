// batch_norm.hpp: batchNorm(out, mean, rstd, x, weight, bias): norm of each channel over a batch, forward and backward.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct BatchNormOptions {
  bool training = true; // by the batch's own mean and variance, which are written; else by given ones
  double eps = 1e-5;
};

namespace detail {
inline Checks batchNormChecks(const char *function, std::initializer_list<Named> tensors,
                              const std::optional<Tensor> &weight, std::initializer_list<Named> perChannel) {
  Checks checks(function);
  checks.rank(*tensors.begin(), 3);
  for (Named each : tensors)
    checks.sameShape(each, *tensors.begin()).contiguous({each}).floats({each});
  if (checks.failed())
    return checks;
  Shape channels{tensors.begin()->tensor.shape()[1]};
  for (Named each : perChannel)
    checks.shape(each, channels).dtype(each, DType::Fp32).contiguous({each});
  if (weight)
    checks.shape({"weight", *weight}, channels).contiguous({{"weight", *weight}}).floats({{"weight", *weight}});
  return checks;
}
inline int64_t batchNormBlock(const Tensor &x) {
  return std::clamp<int64_t>(powerOfTwo(x.shape()[0] * x.shape()[2]), 16, kLongBlock);
}
} // namespace detail

// x and out: contiguous [batch, channels, places]; mean and rstd (1 / sqrt(variance + eps)): fp32 [channels].
inline Result<void> batchNorm(const Tensor &out, const Tensor &mean, const Tensor &rstd, const Tensor &x,
                              const std::optional<Tensor> &weight = {}, const std::optional<Tensor> &bias = {},
                              const BatchNormOptions &norm = {}, const LaunchOptions &options = {}) {
  detail::Checks checks =
      detail::batchNormChecks("batchNorm", {{"x", x}, {"out", out}}, weight, {{"mean", mean}, {"rstd", rstd}});
  if (bias && !checks.failed())
    checks.shape({"bias", *bias}, {x.shape()[1]}).contiguous({{"bias", *bias}}).floats({{"bias", *bias}});
  if (checks.failed())
    return checks.error();
  int64_t block = detail::batchNormBlock(x);
  return detail::launch(detail::find("batch_norm", "batch_norm_forward"), {x.count() ? x.shape()[1] : 0},
                        detail::withWarps(options, block),
                        {x, detail::optionalArgument(weight), detail::optionalArgument(bias), out, mean, rstd,
                         x.shape()[0], x.shape()[1], x.shape()[2], norm.eps, norm.training, block});
}

// gradWeight and gradBias: fp32 [channels].
inline Result<void> batchNormBackward(const Tensor &gradX, const Tensor &gradWeight, const Tensor &gradBias,
                                      const Tensor &gradOut, const Tensor &x, const Tensor &mean, const Tensor &rstd,
                                      const std::optional<Tensor> &weight = {}, const BatchNormOptions &norm = {},
                                      const LaunchOptions &options = {}) {
  detail::Checks checks =
      detail::batchNormChecks("batchNormBackward", {{"x", x}, {"gradOut", gradOut}, {"gradX", gradX}}, weight,
                              {{"mean", mean}, {"rstd", rstd}, {"gradWeight", gradWeight}, {"gradBias", gradBias}});
  if (checks.failed())
    return checks.error();
  int64_t block = detail::batchNormBlock(x);
  return detail::launch(detail::find("batch_norm", "batch_norm_backward"), {x.count() ? x.shape()[1] : 0},
                        detail::withWarps(options, block),
                        {gradOut, x, detail::optionalArgument(weight), mean, rstd, gradX, gradWeight, gradBias,
                         x.shape()[0], x.shape()[1], x.shape()[2], norm.training, block});
}

} // namespace nereid::kernels
