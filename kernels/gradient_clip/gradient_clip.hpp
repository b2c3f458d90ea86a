// gradient_clip.hpp: gradientNorm(norm, factor, gradients, largestNorm) of all gradients together, scaledGradientNorm of those of a scaled loss, and clipGradients, which scales them.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <limits>

namespace nereid::kernels {

namespace detail {
// Shares of the sum of all squares.
inline Result<Tensor> sumsOfSquares(Checks &checks, const Tensor &norm, const Tensor &factor,
                                    const std::vector<Tensor> &gradients, const LaunchOptions &options) {
  for (Named each : {Named{"norm", norm}, {"factor", factor}})
    checks.shape(each, {1}).dtype(each, DType::Fp32);
  for (const Tensor &gradient : gradients)
    checks.floats({{"gradients", gradient}}).contiguous({{"gradients", gradient}});
  if (checks.failed())
    return checks.error();
  int64_t programs = isGpu(options) ? rowPrograms(options) : 16,
          total = programs * static_cast<int64_t>(gradients.size());
  Result<Tensor> partial = scratch(norm, DType::Fp32, {total}, options);
  for (size_t i = 0; i < gradients.size() && partial; ++i) {
    int64_t offset = static_cast<int64_t>(i) * programs;
    Tensor share = Tensor::borrow(partial->data() + offset * sizeof(float), DType::Fp32, {programs}, {1})
                       .onGpu(partial->gpuOrdinal());
    Result<void> done = launch(find("gradient_clip", "sum_of_squares"), {programs}, withWarps(options, kVectorBlock),
                               {gradients[i], share, gradients[i].count(), kVectorBlock});
    if (!done)
      return done.error();
  }
  return partial;
}
} // namespace detail

// norm (fp32 [1]) is the root of the sum of all squares, factor (fp32 [1]) what the gradients are multiplied by so that it is at
// most largestNorm. Both stay on the device: an optimizer takes the factor as it is.
inline Result<void> gradientNorm(const Tensor &norm, const Tensor &factor, const std::vector<Tensor> &gradients,
                                 double largestNorm, const LaunchOptions &options = {}) {
  detail::Checks checks("gradientNorm");
  Result<Tensor> partial = detail::sumsOfSquares(checks, norm, factor, gradients, options);
  if (!partial)
    return partial.error();
  return detail::launch(detail::find("gradient_clip", "clip_factor"), {1}, options,
                        {*partial, norm, factor, partial->count(), largestNorm, 1024});
}

struct LossScaleOptions {
  double largestNorm = std::numeric_limits<double>::infinity();
  double growth = 2, backoff = 0.5;
  int64_t interval = 2000; // good steps in a row before the scale grows
};

// For gradients of a loss times scale (fp32 [1]): norm is what it would be without, and factor takes the scale off and holds the norm. Where a gradient is not finite, factor is 0, which leaves an optimizer's step out, and
// the scale shrinks. goodSteps: int32 [1], zero at first. All stay on the device.
inline Result<void> scaledGradientNorm(const Tensor &norm, const Tensor &factor, const Tensor &scale,
                                       const Tensor &goodSteps, const std::vector<Tensor> &gradients,
                                       const LossScaleOptions &scaling = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("scaledGradientNorm");
  checks.shape({"scale", scale}, {1}).dtype({"scale", scale}, DType::Fp32);
  checks.shape({"goodSteps", goodSteps}, {1}).dtype({"goodSteps", goodSteps}, DType::Int32);
  Result<Tensor> partial = detail::sumsOfSquares(checks, norm, factor, gradients, options);
  if (!partial)
    return partial.error();
  return detail::launch(detail::find("gradient_clip", "loss_scale"), {1}, options,
                        {*partial, norm, factor, scale, goodSteps, partial->count(), scaling.largestNorm,
                         scaling.growth, scaling.backoff, scaling.interval, 1024});
}

// The same, and the gradients are scaled in place.
inline Result<void> clipGradients(const Tensor &norm, const std::vector<Tensor> &gradients, double largestNorm,
                                  const LaunchOptions &options = {}) {
  Result<Tensor> factor = detail::scratch(norm, DType::Fp32, {1}, options);
  if (!factor)
    return factor.error();
  Result<void> done = gradientNorm(norm, *factor, gradients, largestNorm, options);
  for (size_t i = 0; i < gradients.size() && done; ++i)
    done = detail::launch(detail::find("gradient_clip", "scale_by"),
                          {detail::cdiv(gradients[i].count(), detail::kVectorBlock)},
                          detail::withWarps(options, detail::kVectorBlock),
                          {gradients[i], *factor, gradients[i].count(), detail::kVectorBlock});
  return done;
}

} // namespace nereid::kernels
