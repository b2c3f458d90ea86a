// group_norm.hpp: groupNorm(out, x, groups, weight, bias) of [batch, channels, positions], and its backward pass.
#pragma once

#include "nereid/kernels/reduce.hpp"

namespace nereid::kernels {

// What the forward pass keeps for the backward pass: fp32 [batch, groups] each.
struct GroupNormMoments {
  Tensor mean, rstd;
};

namespace detail {
struct GroupNormShape {
  int64_t batch, channels, positions, groups;
  int64_t groupChannels() const { return channels / groups; }
  int64_t block() const { return std::min(kLongBlock, powerOfTwo(std::max<int64_t>(1, groupChannels() * positions))); }
  // No work where a group has no elements.
  int64_t programs(int64_t count) const { return positions ? batch * count : 0; }
};

inline Result<GroupNormShape> groupNormShape(Checks &checks, const Tensor &x, int64_t groups) {
  checks.rank({"x", x}, 3);
  if (checks.failed())
    return checks.error();
  GroupNormShape shape{x.shape()[0], x.shape()[1], x.shape()[2], groups};
  checks.that(groups > 0 && shape.channels % groups == 0,
              std::to_string(shape.channels) + " channels are no multiple of " + std::to_string(groups) + " groups");
  if (checks.failed())
    return checks.error();
  return shape;
}
} // namespace detail

// out = (x - mean) / sqrt(variance + eps) * weight + bias, where mean and variance are those of a group of channels of one
// sample, and weight and bias (either may be missing) those of a channel. All contiguous.
inline Result<GroupNormMoments> groupNorm(const Tensor &out, const Tensor &x, int64_t groups,
                                          const std::optional<Tensor> &weight = {},
                                          const std::optional<Tensor> &bias = {}, double eps = 1e-5,
                                          const LaunchOptions &options = {}) {
  detail::Checks checks("groupNorm");
  checks.sameShape({"out", out}, {"x", x}).contiguous({{"out", out}, {"x", x}}).floats({{"out", out}, {"x", x}});
  Result<detail::GroupNormShape> shape = detail::groupNormShape(checks, x, groups);
  if (!shape)
    return shape.error();
  if (weight)
    checks.shape({"weight", *weight}, {shape->channels})
        .contiguous({{"weight", *weight}})
        .floats({{"weight", *weight}});
  if (bias)
    checks.shape({"bias", *bias}, {shape->channels}).contiguous({{"bias", *bias}}).floats({{"bias", *bias}});
  if (checks.failed())
    return checks.error();
  Result<Tensor> mean = detail::scratch(x, DType::Fp32, {shape->batch, groups}, options);
  Result<Tensor> rstd = detail::scratch(x, DType::Fp32, {shape->batch, groups}, options);
  if (!mean || !rstd)
    return (mean ? rstd : mean).error();
  Result<void> done =
      detail::launch(detail::find("group_norm", "group_norm_forward"), {shape->programs(groups)},
                     detail::withWarps(options, shape->block()),
                     {x, detail::optionalArgument(weight), detail::optionalArgument(bias), out, *mean, *rstd, groups,
                      shape->groupChannels(), shape->positions, eps, shape->block(), detail::cacheModifier(out)});
  return done ? Result<GroupNormMoments>(GroupNormMoments{*mean, *rstd}) : done.error();
}

// The gradients of x, weight and bias from that of out. gradWeight and gradBias: [channels].
inline Result<void> groupNormBackward(const Tensor &gradX, const Tensor &gradWeight, const Tensor &gradBias,
                                      const Tensor &gradOut, const Tensor &x, const std::optional<Tensor> &weight,
                                      const GroupNormMoments &moments, const LaunchOptions &options = {}) {
  detail::Checks checks("groupNormBackward");
  for (detail::Named each : {detail::Named{"gradX", gradX}, {"gradOut", gradOut}, {"x", x}})
    checks.sameShape(each, {"x", x}).contiguous({each}).floats({each});
  checks.rank({"mean", moments.mean}, 2);
  if (checks.failed())
    return checks.error();
  int64_t groups = moments.mean.shape()[1];
  Result<detail::GroupNormShape> shape = detail::groupNormShape(checks, x, groups);
  if (!shape)
    return shape.error();
  for (detail::Named each : {detail::Named{"mean", moments.mean}, {"rstd", moments.rstd}})
    checks.shape(each, {shape->batch, groups}).dtype(each, DType::Fp32).contiguous({each});
  for (detail::Named each : {detail::Named{"gradWeight", gradWeight}, {"gradBias", gradBias}})
    checks.shape(each, {shape->channels}).contiguous({each}).floats({each});
  if (weight)
    checks.shape({"weight", *weight}, {shape->channels})
        .contiguous({{"weight", *weight}})
        .floats({{"weight", *weight}});
  if (checks.failed())
    return checks.error();
  Result<Tensor> partialWeight = detail::scratch(x, DType::Fp32, {shape->batch, shape->channels}, options);
  Result<Tensor> partialBias = detail::scratch(x, DType::Fp32, {shape->batch, shape->channels}, options);
  if (!partialWeight || !partialBias)
    return (partialWeight ? partialBias : partialWeight).error();
  int64_t channelBlock = std::min(detail::kLongBlock, detail::powerOfTwo(std::max<int64_t>(1, shape->positions)));
  Result<void> done =
      detail::launch(detail::find("group_norm", "group_norm_backward"), {shape->programs(groups)},
                     detail::withWarps(options, shape->block()),
                     {gradOut, x, detail::optionalArgument(weight), moments.mean, moments.rstd, gradX, groups,
                      shape->groupChannels(), shape->positions, shape->block(), detail::cacheModifier(gradX)});
  if (done)
    done = detail::launch(detail::find("group_norm", "group_norm_backward_channels"),
                          {shape->programs(shape->channels)}, detail::withWarps(options, channelBlock),
                          {gradOut, x, moments.mean, moments.rstd, *partialWeight, *partialBias, shape->groupChannels(),
                           shape->positions, channelBlock});
  if (done)
    done = sum(gradWeight, *partialWeight, 0, options);
  return done ? sum(gradBias, *partialBias, 0, options) : done;
}

} // namespace nereid::kernels
