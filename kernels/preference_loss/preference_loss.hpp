// preference_loss.hpp: dpoLoss(loss, gradient, …) over pairs of sequences, grpoLoss(loss, gradient, …) over tokens: from log-probabilities, with their gradients.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct DpoOptions {
  double beta = 0.1, labelSmoothing = 0;
  std::string kind = "sigmoid"; // or "hinge", "ipo"
};

// All fp32 and contiguous, [pairs]: sums of log-probabilities of the chosen and the rejected sequence by the model and by the reference. gradient is that of `chosen`, its negative that of `rejected`.
inline Result<void> dpoLoss(const Tensor &loss, const Tensor &gradient, const Tensor &chosen, const Tensor &rejected,
                            const Tensor &refChosen, const Tensor &refRejected, const DpoOptions &dpo = {},
                            const LaunchOptions &options = {}) {
  detail::Checks checks("dpoLoss");
  checks.rank({"chosen", chosen}, 1);
  for (detail::Named each : {detail::Named{"chosen", chosen},
                             {"rejected", rejected},
                             {"refChosen", refChosen},
                             {"refRejected", refRejected},
                             {"loss", loss},
                             {"gradient", gradient}})
    checks.sameShape(each, {"chosen", chosen}).dtype(each, DType::Fp32).contiguous({each});
  checks.that(dpo.kind == "sigmoid" || dpo.kind == "hinge" || dpo.kind == "ipo",
              "`kind` is \"" + dpo.kind + "\", but \"sigmoid\", \"hinge\" or \"ipo\" is expected");
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("preference_loss", "dpo_loss"), {detail::cdiv(chosen.count(), 256)}, options,
                        {chosen, rejected, refChosen, refRejected, loss, gradient, chosen.count(), dpo.beta,
                         dpo.labelSmoothing, dpo.kind, 256});
}

struct GrpoOptions {
  std::optional<Tensor> old =
      {}; // log-probabilities when the tokens were drawn; without them those of now, without a gradient
  std::optional<Tensor> ref = {};  // those of a reference model
  std::optional<Tensor> mask = {}; // bool or int8: which tokens count
  double low = 0.2, high = 0.2;    // the ratio of probabilities is held between 1 - low and 1 + high
  double beta = 0;                 // of the divergence from the reference
};

// For each token: logProbabilities, loss and gradient are fp32 [sequences, length], advantages fp32 [sequences]; all contiguous.
inline Result<void> grpoLoss(const Tensor &loss, const Tensor &gradient, const Tensor &logProbabilities,
                             const Tensor &advantages, const GrpoOptions &grpo = {},
                             const LaunchOptions &options = {}) {
  detail::Checks checks("grpoLoss");
  detail::Named tokens{"logProbabilities", logProbabilities};
  checks.rank(tokens, 2);
  auto floats = [&](const char *name, const std::optional<Tensor> &tensor) {
    if (tensor)
      checks.sameShape({name, *tensor}, tokens).dtype({name, *tensor}, DType::Fp32).contiguous({{name, *tensor}});
  };
  floats("logProbabilities", logProbabilities);
  floats("loss", loss);
  floats("gradient", gradient);
  floats("old", grpo.old);
  floats("ref", grpo.ref);
  if (grpo.mask)
    checks.sameShape({"mask", *grpo.mask}, tokens)
        .that(bytesOf(grpo.mask->dtype()) == 1,
              "`mask` has type " + detail::Checks::name(grpo.mask->dtype()) + ", but i1 or i8 is expected")
        .contiguous({{"mask", *grpo.mask}});
  if (!checks.failed())
    checks.shape({"advantages", advantages}, {logProbabilities.shape()[0]})
        .dtype({"advantages", advantages}, DType::Fp32)
        .contiguous({{"advantages", advantages}});
  if (checks.failed())
    return checks.error();
  int64_t length = logProbabilities.shape()[1];
  return detail::launch(
      detail::find("preference_loss", "grpo_loss"), {detail::cdiv(length, 256), logProbabilities.shape()[0]}, options,
      {logProbabilities, detail::optionalArgument(grpo.old), detail::optionalArgument(grpo.ref), advantages,
       detail::optionalArgument(grpo.mask), loss, gradient, length, grpo.low, grpo.high, grpo.beta, 256});
}

} // namespace nereid::kernels
