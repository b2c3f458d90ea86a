// flex_attention.hpp: flexAttention(out, lse, q, k, v, {.maskMod = "causal", .mask = mask}): attention by rules that are jit functions, forward and
// backward, and the block masks of such rules.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <array>
#include <cmath>

namespace nereid::kernels {

// The lists of blocks that need a look, by queries and by keys: what flexBlockMask writes. All int32 and contiguous, [batch or 1, heads or
// 1, …]: countsQ [blocks of queries, 2], blocksQ [blocks of queries, blocks of keys], countsK and blocksK the other way around.
struct BlockMask {
  Tensor countsQ, blocksQ, countsK, blocksK;
  int64_t blockQ = 128, blockK = 128;
};

struct FlexOptions {
  std::string scoreMod = {}, scoreGradient = {},
              maskMod = {};                            // functions of flex_attention.py or of `source`; "": none
  std::vector<Argument> scoreData = {}, maskData = {}; // what they get as `data`
  std::string source = {};                             // more jit functions, as text
  std::optional<BlockMask> mask = {};                  // of maskMod
  std::optional<Tensor> sinks = {};                    // fp32, a score of a key without a value for each head
  std::optional<double> scale = {};                    // of the scores; 1 / sqrt(dim) if not given
  double dropout = 0;
  int64_t seed = 0;
  std::string precision = "ieee"; // of fp32 inputs, as tl.dot has it
};

namespace detail {
struct FlexShape {
  int64_t batch, heads, headsK, lengthQ, lengthK, dim, dimV;
};

inline Result<FlexShape> flexShape(Checks &checks, const Tensor &out, const Tensor &lse, const Tensor &q,
                                   const Tensor &k, const Tensor &v, const FlexOptions &flex) {
  checks.rank({"q", q}, 4).rank({"k", k}, 4).rank({"v", v}, 4);
  for (Named each : {Named{"q", q}, {"k", k}, {"v", v}, {"out", out}})
    checks.contiguousRows({each}).floats({each}).sameType(each, {"q", q});
  if (checks.failed())
    return checks.error();
  FlexShape shape{q.shape()[0], q.shape()[1], k.shape()[1], q.shape()[2], k.shape()[2], q.shape()[3], v.shape()[3]};
  checks.shape({"k", k}, {shape.batch, shape.headsK, shape.lengthK, shape.dim})
      .shape({"v", v}, {shape.batch, shape.headsK, shape.lengthK, shape.dimV})
      .shape({"out", out}, {shape.batch, shape.heads, shape.lengthQ, shape.dimV})
      .shape({"lse", lse}, {shape.batch, shape.heads, shape.lengthQ})
      .dtype({"lse", lse}, DType::Fp32)
      .contiguous({{"lse", lse}});
  checks.that(shape.headsK > 0 && shape.heads % shape.headsK == 0, "`q` has " + std::to_string(shape.heads) +
                                                                       " heads, which is no multiple of the " +
                                                                       std::to_string(shape.headsK) + " heads of `k`");
  checks.that(shape.dim >= 1 && shape.dim <= 256 && shape.dimV >= 1 && shape.dimV <= 256,
              "heads have " + std::to_string(shape.dim) + " and " + std::to_string(shape.dimV) +
                  " elements, but 1 to 256 are expected");
  if (flex.sinks)
    checks.shape({"sinks", *flex.sinks}, {shape.heads})
        .dtype({"sinks", *flex.sinks}, DType::Fp32)
        .contiguous({{"sinks", *flex.sinks}});
  if (flex.mask) {
    const BlockMask &mask = *flex.mask;
    checks.that(!flex.maskMod.empty(), "`mask` has no `maskMod`").rank({"countsQ", mask.countsQ}, 4);
    if (checks.failed())
      return checks.error();
    int64_t batch = mask.countsQ.shape()[0], heads = mask.countsQ.shape()[1];
    int64_t rows = cdiv(shape.lengthQ, mask.blockQ), columns = cdiv(shape.lengthK, mask.blockK);
    checks.that((batch == 1 || batch == shape.batch) && (heads == 1 || heads == shape.heads),
                "`mask` is one of " + Checks::text({batch, heads}) + " batches and heads, but " +
                    Checks::text({shape.batch, shape.heads}) + " or 1 is expected");
    using Expected = std::pair<Named, Shape>;
    for (const auto &[each, expected] : {Expected{{"countsQ", mask.countsQ}, {batch, heads, rows, 2}},
                                         {{"blocksQ", mask.blocksQ}, {batch, heads, rows, columns}},
                                         {{"countsK", mask.countsK}, {batch, heads, columns, 2}},
                                         {{"blocksK", mask.blocksK}, {batch, heads, columns, rows}}})
      checks.shape(each, expected).dtype(each, DType::Int32).contiguous({each});
  }
  if (checks.failed())
    return checks.error();
  return shape;
}

inline Argument function(const std::string &name) { return name.empty() ? Argument(nullptr) : Expression{name}; }
inline Argument tuple(const std::vector<Argument> &values) {
  return values.empty() ? Argument(nullptr) : Argument(values);
}

// One launch of an attention kernel: its tile, and its arguments from the lists on.
struct FlexLaunch {
  const FlexShape &shape;
  const FlexOptions &flex;
  int64_t blockM, blockN;

  FlexLaunch(const FlexShape &shape, const FlexOptions &flex, const Tensor &q, bool isBackward,
             const LaunchOptions &options)
      : shape(shape), flex(flex) {
    bool isWide = std::max(shape.dim, shape.dimV) > 128, isNarrow = isGpu(options) && bytesOf(q.dtype()) == 2;
    auto block = [](int64_t length, int64_t most, int64_t mask) {
      return std::min(mask, std::clamp<int64_t>(powerOfTwo(length), 16, most));
    };
    blockM = block(shape.lengthQ, isNarrow && !isWide && !isBackward ? 128 : 64, flex.mask ? flex.mask->blockQ : 128);
    blockN = block(shape.lengthK, isBackward && isWide ? 32 : 64, flex.mask ? flex.mask->blockK : 128);
  }

  void lists(std::vector<Argument> &arguments, bool byKeys) const {
    if (flex.mask)
      arguments.insert(arguments.end(), {byKeys ? flex.mask->countsK : flex.mask->countsQ,
                                         byKeys ? flex.mask->blocksK : flex.mask->blocksQ});
    else
      arguments.insert(arguments.end(), {nullptr, nullptr});
  }
  void rest(std::vector<Argument> &arguments, std::array<const Tensor *, 4> tensors, bool byKeys,
            bool isBackward) const {
    arguments.insert(arguments.end(), {tuple(flex.scoreData), tuple(flex.maskData),
                                       flex.scale.value_or(1 / std::sqrt(double(shape.dim))), flex.seed});
    for (const Tensor *each : tensors)
      for (int axis = 0; axis < 3; ++axis)
        arguments.push_back(each->strides()[axis]);
    const Shape rows = flex.mask ? (byKeys ? flex.mask->countsK : flex.mask->countsQ).shape() : Shape{1, 1, 0};
    arguments.insert(arguments.end(),
                     {rows[0] == 1 ? 0 : rows[1] * rows[2], rows[1] == 1 ? 0 : rows[2], shape.heads,
                      shape.heads / shape.headsK, shape.lengthQ, shape.lengthK, shape.dim, shape.dimV,
                      std::max<int64_t>(powerOfTwo(shape.dim), 16), std::max<int64_t>(powerOfTwo(shape.dimV), 16),
                      blockM, blockN, flex.mask ? flex.mask->blockQ : 128, flex.mask ? flex.mask->blockK : 128,
                      function(flex.scoreMod)});
    if (isBackward)
      arguments.push_back(function(flex.scoreGradient));
    arguments.insert(arguments.end(), {function(flex.maskMod), flex.dropout, flex.precision});
  }
  LaunchOptions warps(const LaunchOptions &options) const { return withDefaults(options, blockM >= 128 ? 8 : 4); }
};
} // namespace detail

// Fills the lists of a mask from its rule, for sequences of lengthQ and lengthK; batch and heads are those of the lists, and `flex` has
// maskMod, maskData and source.
inline Result<void> flexBlockMask(const BlockMask &mask, int64_t lengthQ, int64_t lengthK, const FlexOptions &flex,
                                  const LaunchOptions &options = {}) {
  detail::Checks checks("flexBlockMask");
  checks.rank({"countsQ", mask.countsQ}, 4).that(!flex.maskMod.empty(), "`maskMod` is missing");
  for (int64_t block : {mask.blockQ, mask.blockK})
    checks.that(block >= 16 && detail::powerOfTwo(block) == block,
                "a block has " + std::to_string(block) + " places, but a power of two from 16 on is expected");
  if (checks.failed())
    return checks.error();
  int64_t heads = mask.countsQ.shape()[0] * mask.countsQ.shape()[1];
  int64_t rows = detail::cdiv(lengthQ, mask.blockQ), columns = detail::cdiv(lengthK, mask.blockK);
  Result<Tensor> kinds = detail::scratch(mask.countsQ, DType::UInt8, {heads, rows, columns}, options);
  if (!kinds)
    return kinds.error();
  Result<void> done =
      detail::launch(detail::find("flex_attention", "flex_block_kinds", flex.source), {columns, rows, heads}, options,
                     {*kinds, detail::tuple(flex.maskData), mask.countsQ.shape()[1], lengthQ, lengthK, columns,
                      detail::function(flex.maskMod), mask.blockQ, mask.blockK});
  auto list = [&](const Tensor &counts, const Tensor &blocks, int64_t n, int64_t m, int64_t step, int64_t stepColumn) {
    return detail::launch(detail::find("flex_attention", "flex_block_lists"), {n, heads}, options,
                          {*kinds, counts, blocks, m, rows * columns, step, stepColumn,
                           std::clamp<int64_t>(detail::powerOfTwo(m), 16, 1024)});
  };
  if (done)
    done = list(mask.countsQ, mask.blocksQ, rows, columns, columns, 1);
  return done ? list(mask.countsK, mask.blocksK, columns, rows, 1, columns) : done;
}

// q: [batch, heads, length of q, dim]; k and v: [batch, heads of k, length of k, dim and dim of v]; out as q with the dim of v. Any strides but 1 for the last
// axis; dims from 1 to 256. lse, fp32 [batch, heads, length of q], natural logarithms, is what the backward pass takes.
inline Result<void> flexAttention(const Tensor &out, const Tensor &lse, const Tensor &q, const Tensor &k,
                                  const Tensor &v, const FlexOptions &flex = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("flexAttention");
  Result<detail::FlexShape> shape = detail::flexShape(checks, out, lse, q, k, v, flex);
  if (!shape)
    return shape.error();
  detail::FlexLaunch launch(*shape, flex, q, false, options);
  std::vector<Argument> arguments{q, k, v, out, lse};
  launch.lists(arguments, false);
  arguments.push_back(detail::optionalArgument(flex.sinks));
  launch.rest(arguments, {&q, &k, &v, &out}, false, false);
  return detail::launch(detail::find("flex_attention", "flex_forward", flex.source),
                        {detail::cdiv(shape->lengthQ, launch.blockM), shape->batch * shape->heads},
                        launch.warps(options), arguments);
}

struct FlexGradients {
  Tensor q, k, v; // with the strides of what they belong to
  std::optional<Tensor> bias =
      {}; // [batch, heads, length of q, length of k]: of what scoreMod adds; zeros before the call
  std::optional<Tensor> sinks = {};    // fp32 [heads]
  std::optional<Tensor> outOfLse = {}; // fp32, the gradient of lse: an input
};

// The gradients from that of out. scoreGradient is the function that takes a gradient back through scoreMod, "" where it stays as it is.
inline Result<void> flexAttentionBackward(const FlexGradients &gradients, const Tensor &gradOut, const Tensor &out,
                                          const Tensor &lse, const Tensor &q, const Tensor &k, const Tensor &v,
                                          const FlexOptions &flex = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("flexAttentionBackward");
  Result<detail::FlexShape> shape = detail::flexShape(checks, out, lse, q, k, v, flex);
  if (!shape)
    return shape.error();
  using Pair = std::pair<detail::Named, detail::Named>;
  for (auto [gradient, tensor] : {Pair{{"gradients.q", gradients.q}, {"q", q}},
                                  {{"gradients.k", gradients.k}, {"k", k}},
                                  {{"gradients.v", gradients.v}, {"v", v}}})
    checks.sameShape(gradient, tensor)
        .sameType(gradient, tensor)
        .that(gradient.tensor.strides() == tensor.tensor.strides(),
              std::string("`") + gradient.name + "` has strides " + detail::Checks::text(gradient.tensor.strides()) +
                  ", but those of `" + tensor.name +
                  "` are expected: " + detail::Checks::text(tensor.tensor.strides()));
  checks.sameShape({"gradOut", gradOut}, {"out", out}).sameType({"gradOut", gradOut}, {"out", out});
  checks.contiguousRows({{"gradOut", gradOut}});
  if (gradients.bias)
    checks.shape({"gradients.bias", *gradients.bias}, {shape->batch, shape->heads, shape->lengthQ, shape->lengthK})
        .contiguous({{"gradients.bias", *gradients.bias}});
  checks.that(!gradients.sinks || flex.sinks, "there are no `sinks` to have a gradient");
  Result<Tensor> delta = detail::scratch(q, DType::Fp32, lse.shape(), options);
  if (checks.failed() || !delta)
    return checks.failed() ? checks.error() : delta.error();
  detail::FlexLaunch launch(*shape, flex, q, true, options);
  int64_t heads = shape->batch * shape->heads, blocksQ = detail::cdiv(shape->lengthQ, launch.blockM);
  std::vector<Argument> of{out, gradOut, detail::optionalArgument(gradients.outOfLse), *delta};
  for (const Tensor *each : {&out, &gradOut})
    for (int axis = 0; axis < 3; ++axis)
      of.push_back(each->strides()[axis]);
  of.insert(of.end(), {shape->heads, shape->lengthQ, shape->dimV,
                       std::max<int64_t>(detail::powerOfTwo(shape->dimV), 16), launch.blockM});
  Result<void> done = detail::launch(detail::find("flex_attention", "flex_delta"), {blocksQ, heads}, options, of);
  auto run = [&](const char *kernel, std::vector<int64_t> grid, std::initializer_list<Argument> results, bool byKeys) {
    std::vector<Argument> arguments{q, k, v, gradOut, lse, *delta};
    arguments.insert(arguments.end(), results);
    launch.lists(arguments, byKeys);
    launch.rest(arguments, {&q, &k, &v, &gradOut}, byKeys, true);
    return detail::launch(detail::find("flex_attention", kernel, flex.source), std::move(grid), launch.warps(options),
                          arguments);
  };
  if (done)
    done = run("flex_backward_kv", {detail::cdiv(shape->lengthK, launch.blockN), shape->batch * shape->headsK},
               {gradients.k, gradients.v}, true);
  if (done)
    done = run("flex_backward_q", {blocksQ, heads}, {gradients.q, detail::optionalArgument(gradients.bias)}, false);
  if (!done || !gradients.sinks)
    return done;
  return detail::launch(detail::find("flex_attention", "flex_sink_gradient"), {shape->heads}, options,
                        {*flex.sinks, lse, *delta, *gradients.sinks, shape->batch, shape->heads, shape->lengthQ, 256});
}

} // namespace nereid::kernels
