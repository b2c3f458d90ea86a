// conv2d.hpp: conv2d(out, x, weight, bias, {.stride = {2, 2}}): convolution of pictures as an implicit product, forward.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <array>

namespace nereid::kernels {

struct Conv2dOptions {
  std::array<int64_t, 2> stride = {1, 1}, padding = {0, 0}, dilation = {1, 1}; // of rows and of columns
  int64_t groups = 1;
  std::string precision = "ieee"; // of fp32 inputs, as tl.dot has it
};

// How many places the result has along an axis.
inline int64_t convolvedSize(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
  return std::max<int64_t>(0, (size + 2 * padding - dilation * (kernel - 1) - 1 + stride) / stride);
}

// x: [batch, channels, height, width]; weight: [channels of out, channels / groups, kernel height, kernel width]; bias: contiguous [channels of out]; any other strides.
inline Result<void> conv2d(const Tensor &out, const Tensor &x, const Tensor &weight,
                           const std::optional<Tensor> &bias = {}, const Conv2dOptions &convolution = {},
                           const LaunchOptions &options = {}) {
  detail::Checks checks("conv2d");
  checks.rank({"x", x}, 4).rank({"weight", weight}, 4).floats({{"x", x}, {"weight", weight}, {"out", out}});
  checks.sameType({"weight", weight}, {"x", x});
  int64_t groups = convolution.groups;
  for (int axis = 0; axis < 2; ++axis)
    checks.that(convolution.stride[axis] >= 1 && convolution.dilation[axis] >= 1 && convolution.padding[axis] >= 0 &&
                    groups >= 1,
                "stride, dilation and groups are at least 1, and padding is not negative");
  if (checks.failed())
    return checks.error();
  int64_t channels = x.shape()[1], channelsOut = weight.shape()[0];
  checks.that(channels % groups == 0 && channelsOut % groups == 0,
              std::to_string(channels) + " and " + std::to_string(channelsOut) + " channels are no multiples of " +
                  std::to_string(groups) + " groups");
  std::array<int64_t, 2> size;
  for (int axis = 0; axis < 2; ++axis)
    size[axis] = convolvedSize(x.shape()[2 + axis], weight.shape()[2 + axis], convolution.stride[axis],
                               convolution.padding[axis], convolution.dilation[axis]);
  checks.shape({"weight", weight}, {channelsOut, channels / groups, weight.shape()[2], weight.shape()[3]});
  checks.shape({"out", out}, {x.shape()[0], channelsOut, size[0], size[1]});
  if (bias)
    checks.shape({"bias", *bias}, {channelsOut}).contiguous({{"bias", *bias}}).floats({{"bias", *bias}});
  if (checks.failed())
    return checks.error();
  int64_t places = x.shape()[0] * size[0] * size[1], perGroup = channelsOut / groups;
  bool isNarrow = detail::isGpu(options) && bytesOf(x.dtype()) == 2;
  int64_t blockM = std::clamp<int64_t>(detail::powerOfTwo(places), 16, isNarrow ? 128 : 64);
  int64_t blockN = std::clamp<int64_t>(detail::powerOfTwo(perGroup), 16, 64), blockK = 32;
  std::vector<Argument> arguments{x, weight, detail::optionalArgument(bias), out};
  for (const Tensor *each : {&x, &weight, &out})
    for (int64_t stride : each->strides())
      arguments.push_back(stride);
  arguments.insert(arguments.end(),
                   {x.shape()[0], x.shape()[2], x.shape()[3], size[0], size[1], channels / groups, perGroup});
  for (const auto &pair : {convolution.stride, convolution.padding, convolution.dilation})
    arguments.insert(arguments.end(), {pair[0], pair[1]});
  arguments.insert(arguments.end(),
                   {weight.shape()[2], weight.shape()[3], blockM, blockN, blockK, convolution.precision});
  return detail::launch(detail::find("conv2d", "conv2d"),
                        {detail::cdiv(places, blockM), detail::cdiv(perGroup, blockN), groups}, options, arguments);
}

} // namespace nereid::kernels
