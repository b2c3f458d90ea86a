// gradient_clip.hpp: gradientNorm(norm, factor, gradients, largestNorm) of all gradients together, and clipGradients, which scales them.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// norm (fp32 [1]) is the root of the sum of all squares, factor (fp32 [1]) what the gradients are multiplied by so that it is at
// most largestNorm. Both stay on the device: an optimizer takes the factor as it is.
inline Result<void> gradientNorm(const Tensor &norm, const Tensor &factor, const std::vector<Tensor> &gradients,
                                 double largestNorm, const LaunchOptions &options = {}) {
  detail::Checks checks("gradientNorm");
  for (detail::Named each : {detail::Named{"norm", norm}, {"factor", factor}})
    checks.shape(each, {1}).dtype(each, DType::Fp32);
  for (const Tensor &gradient : gradients)
    checks.floats({{"gradients", gradient}}).contiguous({{"gradients", gradient}});
  if (checks.failed())
    return checks.error();
  int64_t programs = detail::isGpu(options) ? 264 : 16, total = programs * static_cast<int64_t>(gradients.size());
  Result<Tensor> partial = detail::scratch(norm, DType::Fp32, {total}, options);
  if (!partial)
    return partial.error();
  Result<void> done;
  for (size_t i = 0; i < gradients.size() && done; ++i) {
    int64_t offset = static_cast<int64_t>(i) * programs;
    Tensor share = Tensor::borrow(partial->data() + offset * sizeof(float), DType::Fp32, {programs}, {1})
                       .onGpu(partial->gpuOrdinal());
    done = detail::launch(detail::find("gradient_clip", "sum_of_squares"), {programs},
                          detail::withWarps(options, detail::kVectorBlock),
                          {gradients[i], share, gradients[i].count(), detail::kVectorBlock});
  }
  return done ? detail::launch(detail::find("gradient_clip", "clip_factor"), {1}, options,
                               {*partial, norm, factor, total, largestNorm, 1024})
              : done;
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
