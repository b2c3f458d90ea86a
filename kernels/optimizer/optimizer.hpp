// optimizer.hpp: adamw(parameter, gradient, mean, square, step), adamw8Bit with running means of eight bits, and lion(parameter, gradient, mean): one step, in place.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <array>
#include <cmath>

namespace nereid::kernels {

struct OptimizerOptions {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01; // Lion has no eps, and likes beta2 = 0.99
  std::optional<Tensor> master = {}; // fp32: what is updated where the parameter is narrower
  std::optional<Tensor> factor = {}; // fp32 [1]: the gradient is multiplied by it first; 0 leaves the step out
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

// The 256 values of dynamic tree quantization, ascending: each power of ten below 1 has twice as many as the one before, the middles of equal pieces of a tenth to one; 0 and 1 besides.
inline std::array<float, 256> dynamicValues(bool isSigned) {
  std::array<float, 256> result{};
  size_t count = 0;
  for (int power = 0; power < 7; ++power) {
    int pieces = (isSigned ? 1 : 2) << power;
    for (int piece = 0; piece < pieces; ++piece) {
      double value = std::pow(10.0, power - 6) * (0.1 + 0.9 * (piece + 0.5) / pieces);
      result[count++] = static_cast<float>(value);
      if (isSigned)
        result[count++] = static_cast<float>(-value);
    }
  }
  result[count++] = 0;
  result[count++] = 1;
  std::sort(result.begin(), result.end());
  return result;
}

// AdamW whose running means are codes of eight bits, uint8 as `parameter` has its shape, with an fp32 scale for each run of `blocksize` elements: [(elements + blocksize - 1) / blocksize]. Zeros at
// first.
inline Result<void> adamw8Bit(const Tensor &parameter, const Tensor &gradient, const Tensor &mean, const Tensor &square,
                              const Tensor &meanScale, const Tensor &squareScale, int64_t step,
                              const OptimizerOptions &optimizer = {}, int64_t blocksize = 256,
                              const LaunchOptions &options = {}) {
  detail::Named whole{"parameter", parameter};
  detail::Checks checks = detail::optimizerChecks("adamw8Bit", {whole, {"gradient", gradient}}, optimizer);
  checks.that(step >= 1, "the step is " + std::to_string(step) + ", but steps are counted from 1");
  checks.that(blocksize >= 32 && blocksize <= 4096 && detail::powerOfTwo(blocksize) == blocksize,
              "a block has " + std::to_string(blocksize) + " elements, but a power of two from 32 to 4096 is expected");
  for (detail::Named each : {detail::Named{"mean", mean}, {"square", square}})
    checks.sameShape(each, whole).dtype(each, DType::UInt8).contiguous({each});
  if (checks.failed())
    return checks.error();
  int64_t runs = detail::cdiv(parameter.count(), blocksize), rows = std::max<int64_t>(1, 1024 / blocksize);
  for (detail::Named each : {detail::Named{"meanScale", meanScale}, {"squareScale", squareScale}})
    checks.shape(each, {runs}).dtype(each, DType::Fp32).contiguous({each});
  if (checks.failed())
    return checks.error();
  static const std::array<float, 256> signedValues = dynamicValues(true), unsignedValues = dynamicValues(false);
  Result<Tensor> meanTable = detail::constants(parameter, signedValues, options),
                 squareTable = detail::constants(parameter, unsignedValues, options);
  for (const Result<Tensor> *each : {&meanTable, &squareTable})
    if (!*each)
      return each->error();
  return detail::launch(detail::find("optimizer", "adamw_8bit"), {detail::cdiv(runs, rows)}, options,
                        {parameter,
                         detail::optionalArgument(optimizer.master),
                         gradient,
                         mean,
                         square,
                         meanScale,
                         squareScale,
                         *meanTable,
                         *squareTable,
                         detail::optionalArgument(optimizer.factor),
                         parameter.count(),
                         optimizer.rate,
                         optimizer.beta1,
                         optimizer.beta2,
                         optimizer.eps,
                         optimizer.decay,
                         1 - std::pow(optimizer.beta1, static_cast<double>(step)),
                         1 - std::pow(optimizer.beta2, static_cast<double>(step)),
                         blocksize,
                         rows});
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
