// conv2d.hpp: conv2d(out, x, weight, bias, {.stride = {2, 2}}): convolution of pictures as an implicit product, and its gradients.
#pragma once

#include "nereid/kernels/configuration.hpp"

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

namespace detail {
struct ConvolutionBlocks {
  int64_t m, n, k;
  bool areWide; // tiles for tensor cores

  ConvolutionBlocks(int64_t rows, int64_t columns, int64_t inner, const Tensor &x, const LaunchOptions &options)
      : areWide(isGpu(options) && bytesOf(x.dtype()) == 2) {
    m = std::clamp<int64_t>(powerOfTwo(rows), 16, areWide ? 128 : 64);
    n = std::clamp<int64_t>(powerOfTwo(columns), 16, areWide ? 128 : 64);
    k = areWide && inner % 64 == 0 ? 64 : 32;
  }
  LaunchOptions launchOptions(const LaunchOptions &options) const {
    return areWide && m * n == 128 * 128 ? withDefaults(options, 8) : options;
  }
};

// What is common to a convolution and its gradients: x, weight and out, or gradients of their shapes.
struct Convolution {
  Named x, weight, out;
  const Conv2dOptions &options;

  int64_t batch() const { return x.tensor.shape()[0]; }
  int64_t perGroupIn() const { return x.tensor.shape()[1] / options.groups; }
  int64_t perGroupOut() const { return weight.tensor.shape()[0] / options.groups; }
  int64_t places(const Tensor &picture) const { return batch() * picture.shape()[2] * picture.shape()[3]; }

  Checks check(const char *function) const {
    Checks checks(function);
    checks.rank(x, 4).rank(weight, 4).floats({x, weight, out});
    for (int axis = 0; axis < 2; ++axis)
      checks.that(options.stride[axis] >= 1 && options.dilation[axis] >= 1 && options.padding[axis] >= 0 &&
                      options.groups >= 1,
                  "stride, dilation and groups are at least 1, and padding is not negative");
    if (checks.failed())
      return checks;
    int64_t channels = x.tensor.shape()[1], channelsOut = weight.tensor.shape()[0];
    checks.that(channels % options.groups == 0 && channelsOut % options.groups == 0,
                std::to_string(channels) + " and " + std::to_string(channelsOut) + " channels are no multiples of " +
                    std::to_string(options.groups) + " groups");
    const Shape &kernel = weight.tensor.shape();
    Shape shape{batch(), channelsOut};
    for (int axis = 0; axis < 2; ++axis)
      shape.push_back(convolvedSize(x.tensor.shape()[2 + axis], kernel[2 + axis], options.stride[axis],
                                    options.padding[axis], options.dilation[axis]));
    checks.shape(weight, {channelsOut, channels / options.groups, kernel[2], kernel[3]}).shape(out, shape);
    if (!checks.failed())
      checks.places(x, places(x.tensor)).places(out, places(out.tensor));
    return checks;
  }

  static void addStrides(std::vector<Argument> &arguments, std::initializer_list<Named> tensors) {
    for (Named each : tensors)
      for (int64_t stride : each.tensor.strides())
        arguments.push_back(stride);
  }
  void addSizes(std::vector<Argument> &arguments) const {
    const Shape &in = x.tensor.shape(), &result = out.tensor.shape();
    arguments.insert(arguments.end(), {batch(), in[2], in[3], result[2], result[3], perGroupIn(), perGroupOut()});
    for (const auto &pair : {options.stride, options.padding, options.dilation})
      arguments.insert(arguments.end(), {pair[0], pair[1]});
  }
  // `inner` numbers that belong to one place of the weight follow each other along the depth, or along the columns.
  void addBlocks(std::vector<Argument> &arguments, const ConvolutionBlocks &blocks, int64_t inner,
                 int64_t within) const {
    const Shape &kernel = weight.tensor.shape();
    arguments.insert(arguments.end(), {kernel[2], kernel[3], blocks.m, blocks.n, blocks.k, options.precision,
                                       inner > 0 && inner % within == 0});
  }
};

// A convolution with steps of 1 and one group whose channels lie last, by blocks that TMA brings: where a row of configurations.md
// has one.
class BlockConvolution {
public:
  BlockConvolution(const Convolution &conv, const LaunchOptions &options) : conv(conv), options(options) {}

  // out from x, or the gradient of x from that of out.
  std::optional<Result<void>> run(const Tensor &from, const Tensor &to, const std::optional<Tensor> &bias,
                                  bool isBackward) const {
    const Shape &shape = to.shape(), &given = from.shape();
    int64_t places = shape[0] * shape[2] * shape[3];
    Configuration plan = configuration(places * shape[1]);
    if (!isSimple() || !isWhole(from) || !isWhole(to) || !isWhole(conv.weight.tensor) || plan.text().empty())
      return std::nullopt;
    std::array<int64_t, 3> block = placesOf(plan.get("BLOCK_M", 0), shape);
    int64_t columns = std::min(plan.get("BLOCK_N", 0), std::max<int64_t>(64, powerOfTwo(shape[1])));
    int64_t depth = std::min(plan.get("BLOCK_K", 0), std::max<int64_t>(16, powerOfTwo(given[1])));
    std::vector<Argument> arguments{from, conv.weight.tensor, optionalArgument(bias), to};
    addSteps(arguments, {from, to});
    arguments.insert(arguments.end(), {shape[0], given[2], given[3], shape[2], shape[3], given[1], shape[1]});
    addPlaces(arguments);
    arguments.insert(arguments.end(), {isBackward, block[0], block[1], block[2], columns, depth});
    int64_t tiles = blocksOf(block, shape) * cdiv(shape[1], columns);
    return launch(find("conv2d", "conv2d_of_blocks"), {std::min(tiles, multiprocessors(options))},
                  plan.applied(options), arguments);
  }

  std::optional<Result<void>> runWeightGradient(const Tensor &gradWeight, const Tensor &gradOut,
                                                const Tensor &x) const {
    const Shape &given = x.shape(), &shape = gradOut.shape(), &kernel = gradWeight.shape();
    int64_t processors = multiprocessors(options);
    Configuration plan = configuration(processors * 128 * given[1]);
    if (!isSimple() || !isWhole(x) || !isWhole(gradOut) || !isWhole(gradWeight) || plan.text().empty())
      return std::nullopt;
    std::array<int64_t, 3> block = placesOf(plan.get("BLOCK_K", 0), shape);
    int64_t rows = std::min(plan.get("BLOCK_M", 0), std::max<int64_t>(64, powerOfTwo(shape[1])));
    int64_t columns = std::min(plan.get("BLOCK_N", 0), std::max<int64_t>(64, powerOfTwo(given[1])));
    int64_t tiles = cdiv(shape[1], rows) * cdiv(given[1], columns) * kernel[2] * kernel[3];
    int64_t count = gradWeight.count(), blocks = blocksOf(block, shape), shares = 1;
    // The operations of all multiprocessors while the longest works, and in their place the bytes of the shares: one takes about as
    // long as 250 of them.
    auto cost = [&](int64_t each) {
      double steps = double(cdiv(tiles * each, processors) * cdiv(blocks, each) * processors);
      return 2.0 * double(rows * columns * plan.get("BLOCK_K", 0)) * steps +
             (each > 1 ? 250.0 * 8 * double(count * each) : 0.0);
    };
    for (int64_t each = 2; each <= std::max<int64_t>(4 * processors / tiles, 4); ++each)
      shares = cost(each) < cost(shares) ? each : shares;
    Tensor partial = gradWeight;
    if (shares > 1) {
      Result<Tensor> made = scratch(gradWeight, DType::Fp32, {shares, count}, options);
      if (!made)
        return made.error();
      partial = *made;
    }
    std::vector<Argument> arguments{gradOut, x, partial};
    addSteps(arguments, {gradOut, x});
    arguments.insert(arguments.end(), {given[0], given[2], given[3], shape[2], shape[3], given[1], shape[1]});
    addPlaces(arguments, shares);
    arguments.insert(arguments.end(), {block[0], block[1], block[2], rows, columns});
    Result<void> done = launch(find("conv2d", "conv2d_weight_gradient_of_blocks"),
                               {std::min(tiles * shares, processors)}, plan.applied(options), arguments);
    if (!done || shares == 1)
      return done;
    return launch(find("reduce", "reduce_columns"), {cdiv(count, 1024)}, options,
                  {partial, gradWeight, count, shares, count, "sum", 1, 1024});
  }

private:
  Configuration configuration(int64_t elements) const {
    bool isKept = false;
    int64_t isLarge = elements >= 128 * 256 * multiprocessors(options);
    Numbers facts{{"bytes", static_cast<int64_t>(bytesOf(conv.x.tensor.dtype()))}, {"large", isLarge}};
    return isGpu(options) ? configurationFor("conv2d_of_blocks", textOf(facts), options, isKept) : Configuration();
  }

  bool isSimple() const { return conv.options.stride == std::array<int64_t, 2>{1, 1} && conv.options.groups == 1; }

  // Channels last, and whole pieces of 16 bytes as far as the compiler is told. A weight is dense besides.
  bool isWhole(const Tensor &tensor) const {
    const Shape &shape = tensor.shape();
    Shape steps = tensor.strides();
    bool isDense = steps[3] == shape[1] && steps[2] == shape[1] * shape[3] && steps[0] == steps[2] * shape[2];
    return tensor.count() > 0 && steps[1] == 1 && shape[1] % 16 == 0 && steps[0] % 16 == 0 && steps[2] % 16 == 0 &&
           steps[3] % 16 == 0 && reinterpret_cast<uintptr_t>(tensor.data()) % 16 == 0 &&
           (isDense || &tensor != &conv.weight.tensor);
  }

  // So many places as a block of pictures, rows and columns that covers all with the fewest; of equals the widest.
  static std::array<int64_t, 3> placesOf(int64_t rows, const Shape &shape) {
    std::array<int64_t, 3> best{rows, 1, 1};
    for (int64_t w = rows; w >= 1; w /= 2)
      for (int64_t h = rows / w; h >= 1; h /= 2) {
        std::array<int64_t, 3> block{rows / (h * w), h, w};
        bool isFirst = w == rows;
        if (isFirst || blocksOf(block, shape) < blocksOf(best, shape))
          best = block;
      }
    return best;
  }

  static int64_t blocksOf(const std::array<int64_t, 3> &block, const Shape &shape) {
    return cdiv(shape[0], block[0]) * cdiv(shape[2], block[1]) * cdiv(shape[3], block[2]);
  }

  static void addSteps(std::vector<Argument> &arguments, std::initializer_list<Tensor> tensors) {
    for (const Tensor &each : tensors) {
      Shape steps = each.strides();
      arguments.insert(arguments.end(), {steps[0], steps[2], steps[3]});
    }
  }

  void addPlaces(std::vector<Argument> &arguments, std::optional<int64_t> shares = {}) const {
    for (const auto &pair : {conv.options.padding, conv.options.dilation})
      arguments.insert(arguments.end(), {pair[0], pair[1]});
    if (shares)
      arguments.push_back(*shares);
    const Shape &kernel = conv.weight.tensor.shape();
    arguments.insert(arguments.end(), {kernel[2], kernel[3]});
  }

  const Convolution &conv;
  const LaunchOptions &options;
};
} // namespace detail

// Fastest on sm_90 with f16 or bf16, steps of 1, one group, and the channels of all tensors last in memory, a multiple of 16.
// x: [batch, channels, height, width]; weight: [channels of out, channels / groups, kernel height, kernel width]; bias: contiguous [channels of out]; any other strides.
inline Result<void> conv2d(const Tensor &out, const Tensor &x, const Tensor &weight,
                           const std::optional<Tensor> &bias = {}, const Conv2dOptions &convolution = {},
                           const LaunchOptions &options = {}) {
  detail::Convolution conv{{"x", x}, {"weight", weight}, {"out", out}, convolution};
  detail::Checks checks = conv.check("conv2d");
  checks.sameType({"weight", weight}, {"x", x});
  if (bias && !checks.failed())
    checks.shape({"bias", *bias}, {weight.shape()[0]}).contiguous({{"bias", *bias}}).floats({{"bias", *bias}});
  if (checks.failed())
    return checks.error();
  if (auto done = detail::BlockConvolution(conv, options).run(x, out, bias, false))
    return *done;
  int64_t places = conv.places(out);
  detail::ConvolutionBlocks blocks(places, conv.perGroupOut(), conv.perGroupIn(), x, options);
  std::vector<Argument> arguments{x, weight, detail::optionalArgument(bias), out};
  conv.addStrides(arguments, {conv.x, conv.weight, conv.out});
  conv.addSizes(arguments);
  conv.addBlocks(arguments, blocks, conv.perGroupIn(), blocks.k);
  return detail::launch(
      detail::find("conv2d", "conv2d"),
      {detail::cdiv(places, blocks.m), detail::cdiv(conv.perGroupOut(), blocks.n), convolution.groups},
      blocks.launchOptions(options), arguments);
}

// The gradient of x from that of out; any strides. On a tensor of another meaning it is the transposed convolution.
inline Result<void> conv2dInputGradient(const Tensor &gradX, const Tensor &gradOut, const Tensor &weight,
                                        const Conv2dOptions &convolution = {}, const LaunchOptions &options = {}) {
  detail::Convolution conv{{"gradX", gradX}, {"weight", weight}, {"gradOut", gradOut}, convolution};
  detail::Checks checks = conv.check("conv2dInputGradient");
  checks.sameType({"gradOut", gradOut}, {"weight", weight});
  if (checks.failed())
    return checks.error();
  if (auto done = detail::BlockConvolution(conv, options).run(gradOut, gradX, {}, true))
    return *done;
  int64_t places = conv.places(gradX);
  detail::ConvolutionBlocks blocks(places, conv.perGroupIn(), conv.perGroupOut(), weight, options);
  std::vector<Argument> arguments{gradOut, weight, gradX};
  conv.addStrides(arguments, {conv.out, conv.weight, conv.x});
  conv.addSizes(arguments);
  conv.addBlocks(arguments, blocks, conv.perGroupOut(), blocks.k);
  return detail::launch(detail::find("conv2d", "conv2d_input_gradient"),
                        {detail::cdiv(places, blocks.m), detail::cdiv(conv.perGroupIn(), blocks.n), convolution.groups},
                        blocks.launchOptions(options), arguments);
}

// The gradient of the weight, contiguous or with its channels last, from that of out and x.
inline Result<void> conv2dWeightGradient(const Tensor &gradWeight, const Tensor &gradOut, const Tensor &x,
                                         const Conv2dOptions &convolution = {}, const LaunchOptions &options = {}) {
  detail::Convolution conv{{"x", x}, {"gradWeight", gradWeight}, {"gradOut", gradOut}, convolution};
  detail::Checks checks = conv.check("conv2dWeightGradient");
  checks.sameType({"gradOut", gradOut}, {"x", x});
  if (checks.failed())
    return checks.error();
  const Shape &kernel = gradWeight.shape(), &steps = gradWeight.strides();
  bool liesLast =
      kernel[1] > 1 && steps == Shape{kernel[1] * kernel[2] * kernel[3], 1, kernel[3] * kernel[1], kernel[1]};
  if (!liesLast)
    checks.contiguous({{"gradWeight", gradWeight}});
  if (checks.failed())
    return checks.error();
  if (auto done = detail::BlockConvolution(conv, options).runWeightGradient(gradWeight, gradOut, x))
    return *done;
  int64_t places = conv.places(gradOut), depth = kernel[1] * kernel[2] * kernel[3], count = gradWeight.count();
  detail::ConvolutionBlocks blocks(conv.perGroupOut(), depth, 64, x, options);
  int64_t tiles = detail::cdiv(conv.perGroupOut(), blocks.m) * detail::cdiv(depth, blocks.n) * convolution.groups;
  // A few blocks alone keep no GPU busy: the places are shared out, and the shares added up.
  int64_t shares = std::max<int64_t>(
      1, std::min(detail::cdiv(places, 1024), 4 * detail::multiprocessors(options) / std::max<int64_t>(tiles, 1)));
  int64_t chunk = detail::cdiv(detail::cdiv(places, shares), blocks.k) * blocks.k;
  Tensor partial = gradWeight;
  if (shares > 1) {
    Result<Tensor> made = detail::scratch(gradWeight, DType::Fp32, {shares, count}, options);
    if (!made)
      return made.error();
    partial = *made;
  }
  std::vector<Argument> arguments{gradOut, x, partial};
  conv.addStrides(arguments, {conv.out, conv.x});
  conv.addSizes(arguments);
  arguments.insert(arguments.end(), {convolution.groups, chunk});
  conv.addBlocks(arguments, blocks, conv.perGroupIn(), blocks.n);
  arguments.push_back(liesLast);
  Result<void> done = detail::launch(
      detail::find("conv2d", "conv2d_weight_gradient"),
      {detail::cdiv(conv.perGroupOut(), blocks.m), detail::cdiv(depth, blocks.n), shares * convolution.groups},
      blocks.launchOptions(options), arguments);
  if (!done || shares == 1)
    return done;
  return detail::launch(detail::find("reduce", "reduce_columns"), {detail::cdiv(count, 32)}, options,
                        {partial, gradWeight, count, shares, count, "sum", 32, 32});
}

// The gradient of the bias, [channels], from that of out, [batch, channels, height, width].
inline Result<void> conv2dBiasGradient(const Tensor &gradBias, const Tensor &gradOut,
                                       const LaunchOptions &options = {}) {
  detail::Checks checks("conv2dBiasGradient");
  checks.rank({"gradOut", gradOut}, 4).floats({{"gradOut", gradOut}, {"gradBias", gradBias}});
  if (!checks.failed())
    checks.shape({"gradBias", gradBias}, {gradOut.shape()[1]}).contiguous({{"gradBias", gradBias}});
  if (checks.failed())
    return checks.error();
  std::vector<Argument> arguments{gradOut, gradBias};
  detail::Convolution::addStrides(arguments, {{"gradOut", gradOut}});
  arguments.insert(arguments.end(), {gradOut.shape()[0], gradOut.shape()[2], gradOut.shape()[3], 1024});
  return detail::launch(detail::find("conv2d", "conv2d_bias_gradient"), {gradOut.shape()[1]}, options, arguments);
}

} // namespace nereid::kernels
