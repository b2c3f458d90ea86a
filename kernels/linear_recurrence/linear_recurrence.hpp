// linear_recurrence.hpp: linearRecurrence(h, a, b): h[t] = a[t] * h[t - 1] + b[t] along the length of [batch, length, channels], and its backward
// pass.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

namespace detail {
// Cuts a sequence into chunks where batch and channels leave the device without work.
struct RecurrencePlan {
  int64_t batch, length, channels, blockT = 32, blockC, chunk;

  RecurrencePlan(const Tensor &a, const LaunchOptions &options)
      : batch(a.shape()[0]), length(a.shape()[1]), channels(a.shape()[2]),
        blockC(std::clamp<int64_t>(powerOfTwo(channels), 16, 64)) {
    int64_t programs = batch * cdiv(channels, blockC), wanted = isGpu(options) ? 4 * multiprocessors(options) : 8;
    int64_t chunks =
        std::clamp<int64_t>(wanted / std::max<int64_t>(programs, 1), 1, std::max<int64_t>(1, length / 256));
    chunk = std::max<int64_t>(blockT, cdiv(cdiv(length, chunks), blockT) * blockT);
  }
  int64_t chunks() const { return std::max<int64_t>(1, cdiv(length, chunk)); }
  // No work where there are no steps.
  std::vector<int64_t> grid(int64_t parts) const { return {cdiv(channels, blockC), length ? parts : 0, batch}; }
};

inline Result<void> recurrence(const Tensor &h, const Tensor &a, const Tensor &b, const std::optional<Tensor> &initial,
                               bool isReversed, const LaunchOptions &options) {
  RecurrencePlan plan(a, options);
  std::optional<Tensor> states;
  if (int64_t chunks = plan.chunks(); chunks > 1) {
    Shape shape{plan.batch, chunks, plan.channels};
    Result<Tensor> chunkA = scratch(a, DType::Fp32, shape, options), chunkB = scratch(a, DType::Fp32, shape, options),
                   behind = scratch(a, DType::Fp32, shape, options);
    for (const Result<Tensor> *each : {&chunkA, &chunkB, &behind})
      if (!*each)
        return each->error();
    Result<void> done =
        launch(find("linear_recurrence", "recurrence_chunks"), plan.grid(chunks), options,
               {a, b, *chunkA, *chunkB, plan.length, plan.channels, plan.chunk, plan.blockT, plan.blockC, isReversed});
    if (done)
      done = launch(find("linear_recurrence", "linear_recurrence"), plan.grid(1), options,
                    {*chunkA, *chunkB, optionalArgument(initial), nullptr, *behind, chunks, plan.channels, chunks,
                     plan.blockT, plan.blockC, false});
    if (!done)
      return done;
    states = *behind;
  }
  return launch(find("linear_recurrence", "linear_recurrence"), plan.grid(plan.chunks()), options,
                {a, b, optionalArgument(initial), optionalArgument(states), h, plan.length, plan.channels, plan.chunk,
                 plan.blockT, plan.blockC, isReversed});
}

inline Checks recurrenceChecks(const char *function, std::initializer_list<Named> tensors,
                               const std::optional<Tensor> &initial) {
  Checks checks(function);
  checks.rank(*tensors.begin(), 3);
  for (Named each : tensors)
    checks.sameShape(each, *tensors.begin()).contiguous({each}).floats({each});
  if (checks.failed() || !initial)
    return checks;
  const Shape &shape = tensors.begin()->tensor.shape();
  return checks.shape({"initial", *initial}, {shape[0], shape[2]})
      .contiguous({{"initial", *initial}})
      .floats({{"initial", *initial}});
}
} // namespace detail

// All [batch, length, channels] and contiguous; initial, [batch, channels], is the state before the first step, 0 if missing.
inline Result<void> linearRecurrence(const Tensor &h, const Tensor &a, const Tensor &b,
                                     const std::optional<Tensor> &initial = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::recurrenceChecks("linearRecurrence", {{"a", a}, {"b", b}, {"h", h}}, initial);
  return checks.failed() ? checks.error() : detail::recurrence(h, a, b, initial, false, options);
}

// The gradients of a and b from that of h. That of the initial state is a[0] * gradB[0].
inline Result<void> linearRecurrenceBackward(const Tensor &gradA, const Tensor &gradB, const Tensor &gradH,
                                             const Tensor &a, const Tensor &h,
                                             const std::optional<Tensor> &initial = {},
                                             const LaunchOptions &options = {}) {
  detail::Checks checks = detail::recurrenceChecks(
      "linearRecurrenceBackward", {{"a", a}, {"h", h}, {"gradH", gradH}, {"gradA", gradA}, {"gradB", gradB}}, initial);
  if (checks.failed())
    return checks.error();
  Result<void> done = detail::recurrence(gradB, a, gradH, {}, true, options);
  int64_t batch = a.shape()[0], length = a.shape()[1], channels = a.shape()[2];
  return done ? detail::launch(detail::find("linear_recurrence", "recurrence_gradient_of_a"),
                               {detail::cdiv(length * channels, 1024), batch}, options,
                               {gradB, h, detail::optionalArgument(initial), gradA, length, channels, 1024})
              : done;
}

} // namespace nereid::kernels
