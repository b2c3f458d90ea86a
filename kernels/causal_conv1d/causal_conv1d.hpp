// causal_conv1d.hpp: causalConv1d(out, x, weight, bias) along the length of [batch, channels, length], its backward pass, and one step of decoding.
#pragma once

#include "nereid/kernels/reduce.hpp"

namespace nereid::kernels {

struct CausalConvOptions {
  std::optional<Tensor> bias = {}; // [channels]
  std::optional<Tensor> state =
      {};           // [batch, channels, width - 1], contiguous: what lies before the first element; 0 if missing
  bool silu = true; // the activation; else none
};

namespace detail {
inline constexpr int64_t kWidestCausalConv = 8;

inline void causalConvChecks(Checks &checks, const Tensor &weight, int64_t batch, int64_t channels,
                             const CausalConvOptions &convolution) {
  checks.rank({"weight", weight}, 2).contiguous({{"weight", weight}}).floats({{"weight", weight}});
  if (checks.failed())
    return;
  int64_t width = weight.shape()[1];
  checks.shape({"weight", weight}, {channels, width});
  checks.that(width >= 1 && width <= kWidestCausalConv, "the width is " + std::to_string(width) + ", but 1 to " +
                                                            std::to_string(kWidestCausalConv) + " is expected");
  if (convolution.bias)
    checks.shape({"bias", *convolution.bias}, {channels})
        .contiguous({{"bias", *convolution.bias}})
        .floats({{"bias", *convolution.bias}});
  if (convolution.state)
    checks.shape({"state", *convolution.state}, {batch, channels, width - 1})
        .contiguous({{"state", *convolution.state}})
        .floats({{"state", *convolution.state}});
}

// A tile is long where memory is: along the length, or along the channels.
struct CausalConvTile {
  int64_t blockC, blockT;
  CausalConvTile(const Tensor &x, int64_t elements) {
    bool isAlongLength = x.strides()[2] == 1 || x.strides()[1] != 1;
    blockC = isAlongLength ? 4 : std::clamp<int64_t>(powerOfTwo(x.shape()[1]), 4, elements / 4);
    blockT = elements / blockC;
  }
  std::vector<int64_t> grid(const Tensor &x) const {
    return {cdiv(x.shape()[2], blockT), cdiv(x.shape()[1], blockC), x.shape()[0]};
  }
};

// Whether a GPU loads whole runs of eight, and finds their neighbours in its registers.
inline bool isByEight(const Tensor &x, const Tensor &weight, const CausalConvOptions &convolution,
                      const LaunchOptions &options) {
  return isGpu(options) && x.strides()[2] == 1 && !convolution.state && weight.shape()[1] <= 4;
}
} // namespace detail

// x and out are [batch, channels, length] with any strides; weight is [channels, width], contiguous.
inline Result<void> causalConv1d(const Tensor &out, const Tensor &x, const Tensor &weight,
                                 const CausalConvOptions &convolution = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("causalConv1d");
  checks.rank({"x", x}, 3).sameShape({"out", out}, {"x", x}).floats({{"x", x}, {"out", out}});
  if (checks.failed())
    return checks.error();
  detail::causalConvChecks(checks, weight, x.shape()[0], x.shape()[1], convolution);
  if (checks.failed())
    return checks.error();
  detail::CausalConvTile tile(x, 2048);
  const auto &xs = x.strides(), &outs = out.strides();
  bool byEight = detail::isByEight(x, weight, convolution, options);
  return detail::launch(detail::find("causal_conv1d", "causal_conv1d_forward"), tile.grid(x), options,
                        {x, weight, detail::optionalArgument(convolution.bias),
                         detail::optionalArgument(convolution.state), out, xs[0], xs[1], xs[2], outs[0], outs[1],
                         outs[2], x.shape()[1], x.shape()[2], weight.shape()[1], convolution.silu, tile.blockC,
                         tile.blockT, byEight});
}

// The gradients of x, and of weight and bias together: gradWeight is fp32 [width + 1, channels], contiguous, the bias last.
inline Result<void> causalConv1dBackward(const Tensor &gradX, const Tensor &gradWeight, const Tensor &gradOut,
                                         const Tensor &x, const Tensor &weight,
                                         const CausalConvOptions &convolution = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("causalConv1dBackward");
  checks.rank({"x", x}, 3).sameShape({"gradX", gradX}, {"x", x}).sameShape({"gradOut", gradOut}, {"x", x});
  checks.floats({{"x", x}, {"gradX", gradX}, {"gradOut", gradOut}});
  if (checks.failed())
    return checks.error();
  int64_t batch = x.shape()[0], channels = x.shape()[1], length = x.shape()[2];
  detail::causalConvChecks(checks, weight, batch, channels, convolution);
  if (checks.failed())
    return checks.error();
  int64_t width = weight.shape()[1];
  checks.shape({"gradWeight", gradWeight}, {width + 1, channels})
      .dtype({"gradWeight", gradWeight}, DType::Fp32)
      .contiguous({{"gradWeight", gradWeight}});
  if (checks.failed())
    return checks.error();
  bool byEight = detail::isByEight(x, weight, convolution, options);
  detail::CausalConvTile tile(x, byEight ? 1024 : 512);
  int64_t shares = batch * detail::cdiv(length, tile.blockT), columns = (width + 1) * channels;
  Result<Tensor> partial = detail::scratch(x, DType::Fp32, {shares, columns}, options);
  if (!partial)
    return partial.error();
  const auto &gs = gradOut.strides(), &xs = x.strides(), &gxs = gradX.strides();
  Result<void> done = detail::launch(detail::find("causal_conv1d", "causal_conv1d_backward"), tile.grid(x), options,
                                     {gradOut,
                                      x,
                                      weight,
                                      detail::optionalArgument(convolution.bias),
                                      detail::optionalArgument(convolution.state),
                                      gradX,
                                      *partial,
                                      gs[0],
                                      gs[1],
                                      gs[2],
                                      xs[0],
                                      xs[1],
                                      xs[2],
                                      gxs[0],
                                      gxs[1],
                                      gxs[2],
                                      channels,
                                      length,
                                      width,
                                      convolution.silu,
                                      tile.blockC,
                                      tile.blockT,
                                      byEight});
  return done ? sum(gradWeight.viewed(DType::Fp32, {columns}, {1}), *partial, 0, options) : done;
}

// One new element for each channel, x and out [batch, channels]; the state, which must be given, moves on by one.
inline Result<void> causalConv1dUpdate(const Tensor &out, const Tensor &x, const Tensor &weight,
                                       const CausalConvOptions &convolution, const LaunchOptions &options = {}) {
  detail::Checks checks("causalConv1dUpdate");
  checks.rank({"x", x}, 2)
      .sameShape({"out", out}, {"x", x})
      .contiguousRows({{"x", x}, {"out", out}})
      .floats({{"x", x}, {"out", out}});
  checks.that(convolution.state.has_value(), "`state` is missing");
  if (checks.failed())
    return checks.error();
  int64_t batch = x.shape()[0], channels = x.shape()[1];
  detail::causalConvChecks(checks, weight, batch, channels, convolution);
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("causal_conv1d", "causal_conv1d_update"), {detail::cdiv(channels, 256), batch},
                        options,
                        {x, weight, detail::optionalArgument(convolution.bias), *convolution.state, out, x.strides()[0],
                         out.strides()[0], channels, weight.shape()[1], convolution.silu, 256});
}

} // namespace nereid::kernels
