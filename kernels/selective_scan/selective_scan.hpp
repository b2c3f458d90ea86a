// selective_scan.hpp: selectiveScan(out, u, delta, a, b, c, {…}): Mamba's scan along the length of [batch, channels, length], its gradients, and a step of it.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct SelectiveScanOptions {
  std::optional<Tensor> d = {}, deltaBias = {}; // fp32 [channels]
  std::optional<Tensor> z = {};                 // as u: out is multiplied by silu(z)
  bool softplus = false;                        // delta is softplus(delta + deltaBias)
};

// What the backward pass takes, and the last state: fp32, contiguous. selectiveScanStates makes them.
struct SelectiveScanStates {
  Tensor before; // [batch, blocks of steps, channels, states]: the state before each block
  Tensor last;   // [batch, channels, states]
};

namespace detail {
inline constexpr int64_t kScanSteps = 64; // of a block

struct SelectiveScanShape {
  int64_t batch, channels, length, groups, states, blockC;
  std::vector<int64_t> grid() const { return {cdiv(channels, blockC), batch}; }
};

inline Result<SelectiveScanShape> selectiveScanShape(Checks &checks, const Tensor &u, const Tensor &delta,
                                                     const Tensor &a, const Tensor &b, const Tensor &c,
                                                     const SelectiveScanOptions &scan) {
  checks.rank({"u", u}, 3).rank({"a", a}, 2).rank({"b", b}, 4).sameShape({"delta", delta}, {"u", u});
  checks.sameShape({"c", c}, {"b", b}).floats({{"u", u}, {"delta", delta}, {"b", b}, {"c", c}});
  if (checks.failed())
    return checks.error();
  SelectiveScanShape shape{u.shape()[0], u.shape()[1], u.shape()[2], b.shape()[1], a.shape()[1], 4};
  checks.shape({"a", a}, {shape.channels, shape.states}).dtype({"a", a}, DType::Fp32).contiguous({{"a", a}});
  checks.shape({"b", b}, {shape.batch, shape.groups, shape.states, shape.length});
  checks.that(shape.groups > 0 && shape.channels % shape.groups == 0,
              "`u` has " + std::to_string(shape.channels) + " channels, which is no multiple of the " +
                  std::to_string(shape.groups) + " groups of `b`");
  checks.that(shape.states >= 1 && shape.states <= 256,
              "a channel has " + std::to_string(shape.states) + " states, but 1 to 256 are expected");
  auto perChannel = [&](const char *name, const std::optional<Tensor> &tensor) {
    if (tensor)
      checks.shape({name, *tensor}, {shape.channels}).dtype({name, *tensor}, DType::Fp32).contiguous({{name, *tensor}});
  };
  perChannel("d", scan.d);
  perChannel("deltaBias", scan.deltaBias);
  if (scan.z)
    checks.sameShape({"z", *scan.z}, {"u", u}).floats({{"z", *scan.z}});
  if (checks.failed())
    return checks.error();
  // All channels of a block share b and c.
  if (shape.states > 16 || (shape.groups > 1 && shape.channels / shape.groups % shape.blockC != 0))
    shape.blockC = 1;
  return shape;
}

inline void addStrides(std::vector<Argument> &arguments, std::initializer_list<const Tensor *> tensors) {
  for (const Tensor *each : tensors)
    for (int64_t stride : each->strides())
      arguments.push_back(stride);
}
inline void addSizes(std::vector<Argument> &arguments, const SelectiveScanShape &shape, bool softplus) {
  arguments.insert(arguments.end(), {shape.channels, shape.length, shape.channels / shape.groups, shape.states,
                                     softplus, shape.blockC, powerOfTwo(shape.states), kScanSteps});
}
} // namespace detail

inline Result<SelectiveScanStates> selectiveScanStates(const Tensor &u, int64_t states) {
  int64_t blocks = detail::cdiv(u.shape()[2], detail::kScanSteps);
  Result<Tensor> before = detail::scratch(u, DType::Fp32, {u.shape()[0], blocks, u.shape()[1], states}, {});
  Result<Tensor> last = detail::scratch(u, DType::Fp32, {u.shape()[0], u.shape()[1], states}, {});
  if (!before || !last)
    return (before ? last : before).error();
  return SelectiveScanStates{*before, *last};
}

// u, delta and out: [batch, channels, length], any strides; a: fp32 [channels, states]; b and c: [batch, groups, states, length], any strides. `initial`, fp32
// [batch, channels, states], is the state before the first step; `states` are for the backward pass.
inline Result<void> selectiveScan(const Tensor &out, const Tensor &u, const Tensor &delta, const Tensor &a,
                                  const Tensor &b, const Tensor &c, const SelectiveScanOptions &scan = {},
                                  const std::optional<SelectiveScanStates> &states = {},
                                  const std::optional<Tensor> &initial = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("selectiveScan");
  Result<detail::SelectiveScanShape> shape = detail::selectiveScanShape(checks, u, delta, a, b, c, scan);
  if (!shape)
    return shape.error();
  checks.sameShape({"out", out}, {"u", u}).floats({{"out", out}});
  if (initial)
    checks.shape({"initial", *initial}, {shape->batch, shape->channels, shape->states})
        .dtype({"initial", *initial}, DType::Fp32)
        .contiguous({{"initial", *initial}});
  if (checks.failed())
    return checks.error();
  std::vector<Argument> arguments{u,
                                  delta,
                                  a,
                                  b,
                                  c,
                                  detail::optionalArgument(scan.d),
                                  detail::optionalArgument(scan.z),
                                  detail::optionalArgument(scan.deltaBias),
                                  detail::optionalArgument(initial),
                                  out,
                                  states ? Argument(states->before) : Argument(nullptr),
                                  states ? Argument(states->last) : Argument(nullptr)};
  detail::addStrides(arguments, {&u, &delta, &b, &c, scan.z ? &*scan.z : &u, &out});
  // Enough channels for a warp of each multiprocessor: step by step.
  constexpr int64_t kWarp = 32;
  bool bySteps = detail::isGpu(options) && shape->states <= 16 && shape->channels / shape->groups % kWarp == 0 &&
                 shape->batch * shape->channels >= kWarp * detail::multiprocessors(options);
  if (bySteps)
    shape->blockC = kWarp;
  detail::addSizes(arguments, *shape, scan.softplus);
  return detail::launch(detail::find("selective_scan", bySteps ? "selective_scan_steps" : "selective_scan_forward"),
                        shape->grid(), bySteps ? detail::withDefaults(options, 1) : options, arguments);
}

// Contiguous: u, delta and z as those; sums in fp32 by batch, and of b and c by block of channels, which the caller adds up: b and c are [batch, blocks, states, length] with blocks a
// multiple of the groups.
struct SelectiveScanGradients {
  Tensor u, delta;
  std::optional<Tensor> z = {};
  Tensor a, b, c, d,
      deltaBias; // [batch, channels, states], twice [batch, blocks, states, length], twice [batch, channels]
};

inline Result<void> selectiveScanBackward(const SelectiveScanGradients &gradients, const Tensor &gradOut,
                                          const Tensor &u, const Tensor &delta, const Tensor &a, const Tensor &b,
                                          const Tensor &c, const SelectiveScanStates &states,
                                          const SelectiveScanOptions &scan = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("selectiveScanBackward");
  Result<detail::SelectiveScanShape> shape = detail::selectiveScanShape(checks, u, delta, a, b, c, scan);
  if (!shape)
    return shape.error();
  int64_t blocks = shape->grid()[0];
  using Expected = std::pair<detail::Named, Shape>;
  Shape sums{shape->batch, blocks, shape->states, shape->length}, perChannel{shape->batch, shape->channels};
  for (const auto &[each, expected] : {Expected{{"gradients.u", gradients.u}, u.shape()},
                                       {{"gradients.delta", gradients.delta}, u.shape()},
                                       {{"gradients.a", gradients.a}, {shape->batch, shape->channels, shape->states}},
                                       {{"gradients.b", gradients.b}, sums},
                                       {{"gradients.c", gradients.c}, sums},
                                       {{"gradients.d", gradients.d}, perChannel},
                                       {{"gradients.deltaBias", gradients.deltaBias}, perChannel}})
    checks.shape(each, expected).contiguous({each});
  checks.sameShape({"gradOut", gradOut}, {"u", u}).that(!scan.z == !gradients.z, "`z` and its gradient come together");
  if (checks.failed())
    return checks.error();
  std::vector<Argument> arguments{gradOut,
                                  u,
                                  delta,
                                  a,
                                  b,
                                  c,
                                  detail::optionalArgument(scan.d),
                                  detail::optionalArgument(scan.z),
                                  detail::optionalArgument(scan.deltaBias),
                                  states.before,
                                  nullptr,
                                  gradients.u,
                                  gradients.delta,
                                  detail::optionalArgument(gradients.z),
                                  gradients.a,
                                  gradients.b,
                                  gradients.c,
                                  gradients.d,
                                  gradients.deltaBias};
  detail::addStrides(arguments, {&gradOut, &u, &delta, &b, &c, scan.z ? &*scan.z : &u});
  detail::addSizes(arguments, *shape, scan.softplus);
  return detail::launch(detail::find("selective_scan", "selective_scan_backward"), shape->grid(), options, arguments);
}

// One step, as decoding has it, all contiguous: state, fp32 [batch, channels, states], in place; u, delta, z and out: [batch, channels]; b and c: [batch, groups, states].
inline Result<void> selectiveScanStep(const Tensor &out, const Tensor &state, const Tensor &u, const Tensor &delta,
                                      const Tensor &a, const Tensor &b, const Tensor &c,
                                      const SelectiveScanOptions &scan = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("selectiveScanStep");
  checks.rank({"u", u}, 2).rank({"a", a}, 2).rank({"b", b}, 3).sameShape({"c", c}, {"b", b});
  checks.sameShape({"delta", delta}, {"u", u}).sameShape({"out", out}, {"u", u});
  checks.contiguous({{"u", u}, {"delta", delta}, {"a", a}, {"b", b}, {"c", c}, {"out", out}, {"state", state}});
  checks.floats({{"u", u}, {"delta", delta}, {"b", b}, {"c", c}, {"out", out}});
  if (checks.failed())
    return checks.error();
  int64_t batch = u.shape()[0], channels = u.shape()[1], groups = b.shape()[1], states = a.shape()[1];
  checks.shape({"a", a}, {channels, states}).shape({"b", b}, {batch, groups, states});
  checks.shape({"state", state}, {batch, channels, states}).dtype({"state", state}, DType::Fp32);
  checks.that(groups > 0 && channels % groups == 0, "`u` has " + std::to_string(channels) +
                                                        " channels, which is no multiple of the " +
                                                        std::to_string(groups) + " groups of `b`");
  if (checks.failed())
    return checks.error();
  int64_t blockC = std::max<int64_t>(1, 1024 / detail::powerOfTwo(states));
  return detail::launch(detail::find("selective_scan", "selective_scan_step"), {detail::cdiv(channels, blockC), batch},
                        options,
                        {state, u, delta, a, b, c, detail::optionalArgument(scan.d), detail::optionalArgument(scan.z),
                         detail::optionalArgument(scan.deltaBias), out, channels, channels / groups, states,
                         scan.softplus, blockC, detail::powerOfTwo(states)});
}

} // namespace nereid::kernels
