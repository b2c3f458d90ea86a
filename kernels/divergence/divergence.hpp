// divergence.hpp: divergence(loss, x, target, {.kind = "jsd"}): how far rows of probabilities are from a target's, and the gradient.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// kind: "kl" (x logarithms, target probabilities), "kl_log" (both logarithms), "jsd" (both logarithms; beta is the target's share of the mixture, 0 and 1 are KL(target, x) and KL(x,
// target)), "tvd" (both probabilities).
struct DivergenceOptions {
  std::string kind = "kl";
  double beta = 0.5;
};

namespace detail {
inline Checks divergenceChecks(const char *function, const Tensor &x, const Tensor &target,
                               const DivergenceOptions &divergence) {
  Checks checks(function);
  checks.rank({"x", x}, 2).sameShape({"target", target}, {"x", x}).floats({{"x", x}, {"target", target}});
  checks.contiguousRows({{"x", x}, {"target", target}});
  const std::string &kind = divergence.kind;
  return checks.that(kind == "kl" || kind == "kl_log" || kind == "jsd" || kind == "tvd",
                     "`kind` is \"" + kind + "\", but \"kl\", \"kl_log\", \"jsd\" or \"tvd\" is expected");
}
} // namespace detail

// loss: fp32 [rows], the sum of each row.
inline Result<void> divergence(const Tensor &loss, const Tensor &x, const Tensor &target,
                               const DivergenceOptions &divergence = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::divergenceChecks("divergence", x, target, divergence);
  if (!checks.failed())
    checks.shape({"loss", loss}, {x.shape()[0]}).dtype({"loss", loss}, DType::Fp32).contiguous({{"loss", loss}});
  if (checks.failed())
    return checks.error();
  int64_t block = std::min(detail::kLongBlock, detail::powerOfTwo(x.shape()[1]));
  return detail::launch(
      detail::find("divergence", "divergence_forward"), {x.shape()[0]}, detail::withWarps(options, block),
      {x, target, loss, x.strides()[0], target.strides()[0], x.shape()[1], divergence.beta, divergence.kind, block});
}

// The gradient of x from that of the loss.
inline Result<void> divergenceBackward(const Tensor &gradX, const Tensor &gradLoss, const Tensor &x,
                                       const Tensor &target, const DivergenceOptions &divergence = {},
                                       const LaunchOptions &options = {}) {
  detail::Checks checks = detail::divergenceChecks("divergenceBackward", x, target, divergence);
  checks.sameShape({"gradX", gradX}, {"x", x}).floats({{"gradX", gradX}}).contiguousRows({{"gradX", gradX}});
  if (!checks.failed())
    checks.shape({"gradLoss", gradLoss}, {x.shape()[0]})
        .dtype({"gradLoss", gradLoss}, DType::Fp32)
        .contiguous({{"gradLoss", gradLoss}});
  if (checks.failed())
    return checks.error();
  int64_t columns = x.shape()[1], block = std::min(detail::kVectorBlock, detail::powerOfTwo(columns));
  return detail::launch(detail::find("divergence", "divergence_backward"), {detail::cdiv(columns, block), x.shape()[0]},
                        detail::withWarps(options, block),
                        {gradLoss, x, target, gradX, x.strides()[0], target.strides()[0], gradX.strides()[0], columns,
                         divergence.beta, divergence.kind, block, detail::cacheModifier(gradX)});
}

} // namespace nereid::kernels
