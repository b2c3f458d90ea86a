// layer_norm.hpp: layerNorm(out, x, weight, bias) over the rows of a matrix, and its backward pass.
#pragma once

#include "nereid/kernels/reduce.hpp"

#include <optional>

namespace nereid::kernels {

// What the forward pass keeps for the backward pass: one fp32 value a row each.
struct LayerNormMoments {
  Tensor mean, rstd;
};

// out = (x - mean) / sqrt(variance + eps) * weight + bias. Rows are contiguous, any stride apart.
inline Result<LayerNormMoments> layerNorm(const Tensor &out, const Tensor &x, const Tensor &weight,
                                          const std::optional<Tensor> &bias, double eps = 1e-5,
                                          const LaunchOptions &options = {}) {
  detail::Checks checks("layerNorm");
  checks.rank({"x", x}, 2).sameShape({"out", out}, {"x", x}).contiguousRows({{"out", out}, {"x", x}});
  checks.floats({{"out", out}, {"x", x}, {"weight", weight}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  checks.shape({"weight", weight}, {columns}).contiguous({{"weight", weight}});
  if (bias)
    checks.shape({"bias", *bias}, {columns}).contiguous({{"bias", *bias}}).floats({{"bias", *bias}});
  if (checks.failed())
    return checks.error();
  Result<Tensor> mean = detail::scratch(x, DType::Fp32, {rows}, options),
                 rstd = detail::scratch(x, DType::Fp32, {rows}, options);
  if (!mean || !rstd)
    return (mean ? rstd : mean).error();
  bool isLong = columns > detail::kLongestRow;
  int64_t block = isLong ? detail::kLongBlock : detail::powerOfTwo(columns);
  Argument noBias = nullptr;
  Result<void> done =
      detail::launch(detail::find("layer_norm", isLong ? "layer_norm_forward_long" : "layer_norm_forward"),
                     {columns ? rows : 0}, detail::withWarps(options, block),
                     {x, weight, bias ? Argument(*bias) : noBias, out, *mean, *rstd, x.strides()[0], out.strides()[0],
                      columns, eps, block, detail::cacheModifier(out)});
  return done ? Result<LayerNormMoments>({*mean, *rstd}) : done.error();
}

// The gradients of x, weight and bias (the latter two in fp32) from the gradient of out.
inline Result<void> layerNormBackward(const Tensor &gradX, const Tensor &gradWeight, const Tensor &gradBias,
                                      const Tensor &gradOut, const Tensor &x, const Tensor &weight,
                                      const LayerNormMoments &moments, const LaunchOptions &options = {}) {
  detail::Checks checks("layerNormBackward");
  checks.rank({"x", x}, 2).sameShape({"gradX", gradX}, {"x", x}).sameShape({"gradOut", gradOut}, {"x", x});
  checks.contiguousRows({{"gradX", gradX}, {"gradOut", gradOut}, {"x", x}});
  checks.floats({{"gradX", gradX}, {"gradOut", gradOut}, {"x", x}, {"weight", weight}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1], programs = std::min<int64_t>(rows, detail::rowPrograms(options));
  checks.shape({"mean", moments.mean}, {rows}).shape({"rstd", moments.rstd}, {rows});
  for (detail::Named each : {detail::Named{"weight", weight}, {"gradWeight", gradWeight}, {"gradBias", gradBias}})
    checks.shape(each, {columns}).contiguous({each});
  if (checks.failed())
    return checks.error();
  Result<Tensor> partialWeight = detail::scratch(x, DType::Fp32, {programs, columns}, options);
  Result<Tensor> partialBias = detail::scratch(x, DType::Fp32, {programs, columns}, options);
  if (!partialWeight || !partialBias)
    return (partialWeight ? partialBias : partialWeight).error();
  Result<void> done = detail::launch(detail::find("layer_norm", "layer_norm_backward"), {columns ? programs : 0},
                                     detail::withWarps(options, detail::powerOfTwo(columns)),
                                     {gradOut, x, weight, moments.mean, moments.rstd, gradX, *partialWeight,
                                      *partialBias, gradOut.strides()[0], x.strides()[0], gradX.strides()[0], rows,
                                      columns, detail::powerOfTwo(columns), detail::cacheModifier(gradX)});
  if (done)
    done = sum(gradWeight, *partialWeight, 0, options);
  return done ? sum(gradBias, *partialBias, 0, options) : done;
}

} // namespace nereid::kernels
