// cross_entropy.hpp: crossEntropy(loss, lse, logits, target) of rows of logits against classes, and its gradient.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

namespace detail {
inline Checks crossEntropyChecks(const char *function, const Tensor &logits, const Tensor &target, const Tensor &lse,
                                 Named perRow) {
  Checks checks(function);
  checks.rank({"logits", logits}, 2).contiguousRows({{"logits", logits}}).floats({{"logits", logits}});
  if (checks.failed())
    return checks;
  int64_t rows = logits.shape()[0];
  checks.that(target.dtype() == DType::Int32 || target.dtype() == DType::Int64,
              "`target` has type " + Checks::name(target.dtype()) + ", but i32 or i64 is expected");
  checks.dtype({"lse", lse}, DType::Fp32).dtype(perRow, DType::Fp32);
  for (Named each : {Named{"target", target}, {"lse", lse}, perRow})
    checks.shape(each, {rows}).contiguous({each});
  return checks;
}
} // namespace detail

struct CrossEntropyOptions {
  int64_t ignoreIndex = -100; // rows with this target have no loss
  double labelSmoothing = 0;  // so much of the target's share goes to all classes alike
  double zLoss = 0;           // times the square of lse is added
  double softcap = 0;         // a logit x becomes softcap * tanh(x / softcap) first; 0: it stays
};

// loss and lse have one fp32 value a row; lse is what the backward pass takes.
inline Result<void> crossEntropy(const Tensor &loss, const Tensor &lse, const Tensor &logits, const Tensor &target,
                                 const CrossEntropyOptions &entropy = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::crossEntropyChecks("crossEntropy", logits, target, lse, {"loss", loss});
  if (checks.failed())
    return checks.error();
  int64_t rows = logits.shape()[0], columns = logits.shape()[1];
  return detail::launch(detail::find("cross_entropy", "cross_entropy_forward"), {rows},
                        detail::withWarps(options, std::min(detail::kLongBlock, columns)),
                        {logits, target, loss, lse, logits.strides()[0], columns, entropy.ignoreIndex,
                         std::min(detail::kLongBlock, detail::powerOfTwo(columns)), entropy.labelSmoothing,
                         entropy.zLoss, entropy.softcap});
}

// grad has the shape of logits, and may be logits itself.
inline Result<void> crossEntropyBackward(const Tensor &grad, const Tensor &gradLoss, const Tensor &lse,
                                         const Tensor &logits, const Tensor &target,
                                         const CrossEntropyOptions &entropy = {}, const LaunchOptions &options = {}) {
  detail::Checks checks =
      detail::crossEntropyChecks("crossEntropyBackward", logits, target, lse, {"gradLoss", gradLoss});
  checks.sameShape({"grad", grad}, {"logits", logits}).contiguousRows({{"grad", grad}}).floats({{"grad", grad}});
  if (checks.failed())
    return checks.error();
  int64_t rows = logits.shape()[0], columns = logits.shape()[1];
  return detail::launch(detail::find("cross_entropy", "cross_entropy_backward"), {rows},
                        detail::withWarps(options, std::min(detail::kLongBlock, columns)),
                        {gradLoss, logits, target, lse, grad, logits.strides()[0], grad.strides()[0], columns,
                         entropy.ignoreIndex, std::min(detail::kLongBlock, detail::powerOfTwo(columns)),
                         detail::cacheModifier(grad), entropy.labelSmoothing, entropy.zLoss, entropy.softcap});
}

} // namespace nereid::kernels
