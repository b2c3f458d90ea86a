// dynamic_tanh.hpp: dynamicTanh(out, x, alpha, weight, bias): weight * tanh(alpha * x) + bias, and the gradients.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

namespace detail {
inline Checks dynamicTanhChecks(const char *function, Named x, Named other, const Tensor &alpha, const Tensor &weight) {
  Checks checks(function);
  checks.rank(x, 2)
      .sameShape(other, x)
      .contiguousRows({x, other})
      .floats({x, other, {"alpha", alpha}, {"weight", weight}});
  checks.shape({"alpha", alpha}, {1});
  if (!checks.failed())
    checks.shape({"weight", weight}, {x.tensor.shape()[1]}).contiguous({{"weight", weight}});
  return checks;
}
} // namespace detail

// x and out: [rows, columns] with contiguous rows; alpha: [1]; weight and bias: contiguous [columns].
inline Result<void> dynamicTanh(const Tensor &out, const Tensor &x, const Tensor &alpha, const Tensor &weight,
                                const std::optional<Tensor> &bias = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::dynamicTanhChecks("dynamicTanh", {"x", x}, {"out", out}, alpha, weight);
  if (bias)
    checks.sameShape({"bias", *bias}, {"weight", weight}).contiguous({{"bias", *bias}}).floats({{"bias", *bias}});
  if (checks.failed())
    return checks.error();
  int64_t columns = x.shape()[1], block = std::min(detail::kVectorBlock, detail::powerOfTwo(columns));
  return detail::launch(detail::find("dynamic_tanh", "dynamic_tanh"), {x.shape()[0], detail::cdiv(columns, block)},
                        detail::withWarps(options, block),
                        {x, alpha, weight, detail::optionalArgument(bias), out, x.strides()[0], out.strides()[0],
                         columns, block, detail::cacheModifier(out)});
}

// The gradients of x, alpha ([1]), the weight and, if given, the bias (contiguous [columns]) from that of out.
inline Result<void> dynamicTanhBackward(const Tensor &gradX, const Tensor &gradAlpha, const Tensor &gradWeight,
                                        const std::optional<Tensor> &gradBias, const Tensor &gradOut, const Tensor &x,
                                        const Tensor &alpha, const Tensor &weight, const LaunchOptions &options = {}) {
  detail::Checks checks =
      detail::dynamicTanhChecks("dynamicTanhBackward", {"x", x}, {"gradOut", gradOut}, alpha, weight);
  checks.sameShape({"gradX", gradX}, {"x", x}).contiguousRows({{"gradX", gradX}}).floats({{"gradX", gradX}});
  checks.sameShape({"gradAlpha", gradAlpha}, {"alpha", alpha})
      .sameShape({"gradWeight", gradWeight}, {"weight", weight});
  checks.contiguous({{"gradWeight", gradWeight}}).floats({{"gradAlpha", gradAlpha}, {"gradWeight", gradWeight}});
  if (gradBias)
    checks.sameShape({"gradBias", *gradBias}, {"weight", weight})
        .contiguous({{"gradBias", *gradBias}})
        .floats({{"gradBias", *gradBias}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1], block = std::min<int64_t>(1024, detail::powerOfTwo(columns));
  int64_t programs = std::clamp<int64_t>(rows, 1, detail::isGpu(options) ? 2 * detail::multiprocessors(options) : 16),
          blocks = detail::cdiv(columns, block);
  Result<Tensor> ofWeight = detail::scratch(x, DType::Fp32, {programs, columns}, options),
                 ofBias = detail::scratch(x, DType::Fp32, {programs, columns}, options),
                 ofAlpha = detail::scratch(x, DType::Fp32, {programs, blocks}, options);
  for (const Result<Tensor> *each : {&ofWeight, &ofBias, &ofAlpha})
    if (!*each)
      return each->error();
  Result<void> done = detail::launch(
      detail::find("dynamic_tanh", "dynamic_tanh_backward"), {programs, blocks}, detail::withWarps(options, block),
      {gradOut, x, alpha, weight, gradX, *ofAlpha, *ofWeight, gradBias ? Argument(*ofBias) : Argument(nullptr),
       gradOut.strides()[0], x.strides()[0], gradX.strides()[0], rows, columns, block, detail::cacheModifier(gradX)});
  auto sum = [&](const Tensor &shares, const Tensor &gradient, int64_t height, int64_t width) {
    if (done)
      done = detail::launch(detail::find("reduce", "reduce_columns"), {detail::cdiv(width, 32)}, options,
                            {shares, gradient, width, height, width, "sum", 32, 32});
  };
  sum(*ofWeight, gradWeight, programs, columns);
  if (gradBias)
    sum(*ofBias, *gradBias, programs, columns);
  sum(*ofAlpha, gradAlpha, programs * blocks, 1);
  return done;
}

} // namespace nereid::kernels
