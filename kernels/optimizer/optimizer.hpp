// optimizer.hpp: adamw(parameter, gradient, mean, square, step) and lion(parameter, gradient, mean): one step, in place.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <cmath>

namespace nereid::kernels {

struct OptimizerOptions {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01; // Lion has no eps, and likes beta2 = 0.99
  std::optional<Tensor> master = {}; // fp32: what is updated where the parameter is narrower
  std::optional<Tensor> factor = {}; // fp32 [1]: the gradient is multiplied by it first
};

namespace detail {
inline Checks optimizerChecks(const char *function, std::initializer_list<Named> tensors,
                              const OptimizerOptions &optimizer) {
  Checks checks(function);
  for (Named each : tensors)
    checks.sameShape(each, *tensors.begin()).contiguous({each}).floats({each});
  if (optimizer.master)
    checks.sameShape({"master", *optimizer.master}, *tensors.begin())
        .contiguous({{"master", *optimizer.master}})
        .dtype({"master", *optimizer.master}, DType::Fp32);
  if (optimizer.factor)
    checks.shape({"factor", *optimizer.factor}, {1}).dtype({"factor", *optimizer.factor}, DType::Fp32);
  return checks;
}
inline constexpr int64_t kOptimizerBlock = 1024;
} // namespace detail

// AdamW; `step` counts from 1. mean and square are what one step keeps for the next, zeros at first. All contiguous.
inline Result<void> adamw(const Tensor &parameter, const Tensor &gradient, const Tensor &mean, const Tensor &square,
                          int64_t step, const OptimizerOptions &optimizer = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::optimizerChecks(
      "adamw", {{"parameter", parameter}, {"gradient", gradient}, {"mean", mean}, {"square", square}}, optimizer);
  checks.that(step >= 1, "the step is " + std::to_string(step) + ", but steps are counted from 1");
  if (checks.failed())
    return checks.error();
  return detail::launch(
      detail::find("optimizer", "adamw"), {detail::cdiv(parameter.count(), detail::kOptimizerBlock)}, options,
      {parameter, detail::optionalArgument(optimizer.master), gradient, mean, square,
       detail::optionalArgument(optimizer.factor), parameter.count(), optimizer.rate, optimizer.beta1, optimizer.beta2,
       optimizer.eps, optimizer.decay, 1 - std::pow(optimizer.beta1, static_cast<double>(step)),
       1 - std::pow(optimizer.beta2, static_cast<double>(step)), detail::kOptimizerBlock});
}

// Lion; mean is what one step keeps for the next, zeros at first. All contiguous.
inline Result<void> lion(const Tensor &parameter, const Tensor &gradient, const Tensor &mean,
                         const OptimizerOptions &optimizer = {.rate = 1e-4, .beta2 = 0.99},
                         const LaunchOptions &options = {}) {
  detail::Checks checks =
      detail::optimizerChecks("lion", {{"parameter", parameter}, {"gradient", gradient}, {"mean", mean}}, optimizer);
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("optimizer", "lion"), {detail::cdiv(parameter.count(), detail::kOptimizerBlock)},
                        options,
                        {parameter, detail::optionalArgument(optimizer.master), gradient, mean,
                         detail::optionalArgument(optimizer.factor), parameter.count(), optimizer.rate, optimizer.beta1,
                         optimizer.beta2, optimizer.decay, detail::kOptimizerBlock});
}

} // namespace nereid::kernels
