// flash_attention.hpp: attention(out, lse, q, k, v) on [batch, heads, length, dim], and its backward pass.
#pragma once

#include "nereid/kernels/configuration.hpp"

#include <cmath>
#include <optional>

namespace nereid::kernels {

struct AttentionOptions {
  bool causal = false;              // query i sees the keys up to i + length of k - length of q
  std::optional<double> scale = {}; // of the scores; 1 / sqrt(dim) if not given
  std::string precision = "ieee";   // of fp32 inputs, as tl.dot has it
  int64_t blockM = 0, blockN = 0;   // at most so many queries and keys at a time; 0: what suits the device
};

namespace detail {
// What one program takes, and how it runs.
struct AttentionTile {
  int64_t blockM = 128, blockN = 128;
  LaunchOptions options;
  bool byDescriptor = false;
};

// What tuning tries besides the table.
inline std::vector<std::string> attentionCandidates(bool isWhole, const LaunchOptions &options) {
  if (!isGpu(options))
    return {"BLOCK_M=64 BLOCK_N=64", "BLOCK_M=128 BLOCK_N=128"};
  std::vector<std::string> candidates;
  for (const char *blocks : {"BLOCK_M=64 BLOCK_N=32", "BLOCK_M=64 BLOCK_N=64", "BLOCK_M=64 BLOCK_N=128",
                             "BLOCK_M=128 BLOCK_N=64", "BLOCK_M=128 BLOCK_N=128", "BLOCK_M=32 BLOCK_N=64"})
    for (const char *rest : {"num_warps=4 num_stages=2", "num_warps=4 num_stages=3", "num_warps=8 num_stages=2",
                             "num_warps=8 num_stages=3"})
      for (const char *how : {"", " TMA=1"})
        if (isWhole || !*how)
          candidates.push_back(std::string(blocks) + " " + rest + how);
  return candidates;
}

// Of the tiles of a head: 128 and a second tile of 32 or 64, or the power of two above.
inline int64_t columnsOfHead(int64_t dim) { return dim == 160 || dim == 192 ? dim : powerOfTwo(dim); }

// Rows that start at multiples of 16 bytes can come by TMA.
inline bool areRowsWhole(const Tensor &tensor) {
  const auto &strides = tensor.strides();
  return strides[0] % 8 == 0 && strides[1] % 8 == 0 && strides[2] % 8 == 0 &&
         reinterpret_cast<uintptr_t>(tensor.data()) % 16 == 0;
}

// Bytes of gradients of scores that are kept at a time.
inline constexpr int64_t kMostScores = int64_t(2) << 30;

// The common part of every launch of an attention kernel.
struct AttentionShape {
  int64_t batch, heads, headsK, lengthQ, lengthK, dim;

  AttentionTile tile(const Configuration &configuration, bool isWhole, const AttentionOptions &attention,
                     const LaunchOptions &options) const {
    auto block = [](int64_t length, int64_t most) { return std::clamp<int64_t>(powerOfTwo(length), 16, most); };
    return {block(lengthQ, attention.blockM ? attention.blockM : configuration.get("BLOCK_M", 64)),
            block(lengthK, attention.blockN ? attention.blockN : configuration.get("BLOCK_N", 64)),
            configuration.applied(options), isWhole && configuration.get("TMA", 0) != 0};
  }
  static bool isWhole(const Tensor &first, const Tensor &second) {
    return areRowsWhole(first) && areRowsWhole(second) && bytesOf(first.dtype()) == 2;
  }
  Numbers facts(const Tensor &first, const Tensor &second, const AttentionOptions &attention) const {
    return {{"bytes", static_cast<int64_t>(bytesOf(first.dtype()))},
            {"dim", columnsOfHead(dim)},
            {"causal", attention.causal},
            {"length", powerOfTwo(lengthK)},
            {"whole", isWhole(first, second)}};
  }
  // Runs a kernel with its best tile. `first` and `second` are what it reads block by block.
  Result<void> run(const char *kernel, const Tensor &first, const Tensor &second, const AttentionOptions &attention,
                   const LaunchOptions &options,
                   const std::function<Result<void>(const AttentionTile &)> &launch) const {
    bool whole = isWhole(first, second);
    return runConfigured(
        kernel, facts(first, second, attention), attentionCandidates(whole, options), options,
        [&](const Configuration &configuration) { return launch(tile(configuration, whole, attention, options)); });
  }
  // Whether there is a configuration for the kernel here.
  bool isKnown(const char *kernel, const Tensor &first, const Tensor &second, const AttentionOptions &attention,
               const LaunchOptions &options) const {
    bool isKept = false;
    return !configurationFor(kernel, textOf(facts(first, second, attention)), options, isKept).text().empty();
  }
  // The last arguments of the kernels, from the strides on.
  std::vector<Argument> arguments(const AttentionTile &tile, const Tensor &q, const Tensor &k, const Tensor &v,
                                  const Tensor &out, const AttentionOptions &attention) const {
    std::vector<Argument> result;
    for (const Tensor *each : {&q, &k, &v, &out})
      for (int axis = 0; axis < 3; ++axis)
        result.push_back(each->strides()[axis]);
    result.insert(result.end(), {heads, heads / headsK, lengthQ, lengthK, dim, tile.blockM, tile.blockN,
                                 attention.causal, attention.precision, tile.byDescriptor});
    return result;
  }
  double scale(const AttentionOptions &attention) const {
    return attention.scale.value_or(1 / std::sqrt(static_cast<double>(dim)));
  }
  // The gradients of scores have rows of so many elements, which TMA can bring; and of so many heads of k they are kept at a time, 0 where those of one are too many.
  int64_t scoresStride() const { return cdiv(lengthQ, 16) * 16; }
  int64_t headsTogether(const Tensor &q) const {
    int64_t ofOne = heads / headsK * lengthK * scoresStride() * static_cast<int64_t>(bytesOf(q.dtype()));
    return ofOne ? std::min(batch * headsK, kMostScores / ofOne) : 0;
  }
  std::vector<int64_t> gridQ(int64_t blockM) const { return {cdiv(lengthQ, blockM), batch * heads}; }
  std::vector<int64_t> gridK(int64_t blockN) const { return {cdiv(lengthK, blockN), batch * headsK}; }
};

// The extents of attention, whatever the types: q and k have four axes.
inline Result<AttentionShape> attentionExtents(Checks &checks, const Tensor &lse, const Tensor &q, const Tensor &k) {
  int64_t batch = q.shape()[0], heads = q.shape()[1], lengthQ = q.shape()[2], dim = q.shape()[3];
  int64_t headsK = k.shape()[1], lengthK = k.shape()[2];
  checks.shape({"k", k}, {batch, headsK, lengthK, dim});
  checks.that(headsK > 0 && heads % headsK == 0, "`q` has " + std::to_string(heads) +
                                                     " heads, which is no multiple of the " + std::to_string(headsK) +
                                                     " heads of `k`");
  checks.shape({"lse", lse}, {batch, heads, lengthQ}).dtype({"lse", lse}, DType::Fp32).contiguous({{"lse", lse}});
  if (checks.failed())
    return checks.error();
  return AttentionShape{batch, heads, headsK, lengthQ, lengthK, dim};
}

inline Result<AttentionShape> attentionShape(Checks &checks, const Tensor &out, const Tensor &lse, const Tensor &q,
                                             const Tensor &k, const Tensor &v) {
  checks.rank({"q", q}, 4).rank({"k", k}, 4).sameShape({"out", out}, {"q", q}).sameShape({"v", v}, {"k", k});
  for (Named each : {Named{"q", q}, {"k", k}, {"v", v}, {"out", out}})
    checks.contiguousRows({each}).floats({each}).sameType(each, {"q", q});
  if (checks.failed())
    return checks.error();
  int64_t dim = q.shape()[3];
  checks.that(dim >= 16 && (dim <= 256 || powerOfTwo(dim) == dim),
              "a head has " + std::to_string(dim) + " elements, but 16 to 256, or a power of two above, is expected");
  return attentionExtents(checks, lse, q, k);
}
} // namespace detail

// q and out are [batch, heads, length, dim]; k and v may have fewer heads, each of which serves several of q. Any
// strides but 1 for the last axis. lse, fp32 [batch, heads, length of q], is what the backward pass takes.
inline Result<void> attention(const Tensor &out, const Tensor &lse, const Tensor &q, const Tensor &k, const Tensor &v,
                              const AttentionOptions &attention = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("attention");
  Result<detail::AttentionShape> shape = detail::attentionShape(checks, out, lse, q, k, v);
  if (!shape)
    return shape.error();
  return shape->run("attention_forward", k, v, attention, options, [&](const detail::AttentionTile &tile) {
    std::vector<Argument> arguments{q, k, v, out, lse, shape->scale(attention)};
    for (Argument &argument : shape->arguments(tile, q, k, v, out, attention))
      arguments.push_back(argument);
    return detail::launch(detail::find("flash_attention", "flash_attention_forward"), shape->gridQ(tile.blockM),
                          tile.options, arguments);
  });
}

// Gradients have the strides of what they belong to. Where the table has a row for it, the gradients of scores are kept between the kernels, of as many heads at a
// time as kMostScores bytes hold, and the gradient of q is a product of them.
inline Result<void> attentionBackward(const Tensor &gradQ, const Tensor &gradK, const Tensor &gradV,
                                      const Tensor &gradOut, const Tensor &out, const Tensor &lse, const Tensor &q,
                                      const Tensor &k, const Tensor &v, const AttentionOptions &attention = {},
                                      const LaunchOptions &options = {}) {
  detail::Checks checks("attentionBackward");
  Result<detail::AttentionShape> shape = detail::attentionShape(checks, out, lse, q, k, v);
  if (!shape)
    return shape.error();
  using Pair = std::pair<detail::Named, detail::Named>;
  for (auto [gradient, tensor] : {Pair{{"gradQ", gradQ}, {"q", q}},
                                  {{"gradK", gradK}, {"k", k}},
                                  {{"gradV", gradV}, {"v", v}},
                                  {{"gradOut", gradOut}, {"out", out}}}) {
    checks.sameShape(gradient, tensor).sameType(gradient, tensor);
    checks.that(gradient.tensor.strides() == tensor.tensor.strides(),
                std::string("`") + gradient.name + "` has strides " + detail::Checks::text(gradient.tensor.strides()) +
                    ", but those of `" + tensor.name +
                    "` are expected: " + detail::Checks::text(tensor.tensor.strides()));
  }
  Result<Tensor> delta = detail::scratch(q, DType::Fp32, lse.shape(), options);
  if (checks.failed() || !delta)
    return checks.failed() ? checks.error() : delta.error();
  constexpr int64_t kRows = 64;
  Result<void> done =
      detail::launch(detail::find("flash_attention", "flash_attention_delta"), shape->gridQ(kRows), options,
                     {out, gradOut, *delta, out.strides()[0], out.strides()[1], out.strides()[2], shape->heads,
                      shape->lengthQ, shape->dim, kRows});
  if (!done)
    return done;
  auto launch = [&](const char *kernel, const detail::AttentionTile &tile, std::vector<int64_t> grid,
                    std::vector<Argument> gradients, std::vector<Argument> scores = {}) {
    std::vector<Argument> arguments{q, k, v, gradOut, lse, *delta},
        last = shape->arguments(tile, q, k, v, out, attention);
    arguments.insert(arguments.end(), gradients.begin(), gradients.end());
    arguments.push_back(shape->scale(attention));
    arguments.insert(arguments.end(), last.begin(), last.end());
    arguments.insert(arguments.end(), scores.begin(), scores.end());
    return detail::launch(detail::find("flash_attention", kernel), std::move(grid), tile.options, arguments);
  };
  auto launchQ = [&](const detail::AttentionTile &tile, const Tensor &scores, int64_t first, int64_t count) {
    std::vector<Argument> arguments{scores, k, gradQ, shape->scale(attention)};
    for (const Tensor *each : {&q, &k})
      arguments.insert(arguments.end(), {each->strides()[0], each->strides()[1], each->strides()[2]});
    arguments.insert(arguments.end(), {shape->heads, shape->heads / shape->headsK, shape->lengthQ, shape->lengthK,
                                       shape->scoresStride(), first, shape->dim, tile.blockN,
                                       std::min<int64_t>(tile.blockN, 64), attention.causal, attention.precision});
    LaunchOptions inStages = tile.options;
    if (detail::isGpu(options))
      inStages.numStages = 6;
    return detail::launch(detail::find("flash_attention", "flash_attention_backward_q_of_scores"),
                          {detail::cdiv(shape->lengthQ, tile.blockN), count}, inStages, arguments);
  };
  if (int64_t together = shape->headsTogether(q);
      together > 0 && detail::AttentionShape::isWhole(k, k) &&
      shape->isKnown("attention_backward_scores", q, gradOut, attention, options)) {
    int64_t group = shape->heads / shape->headsK, all = shape->batch * shape->headsK;
    Result<Tensor> scores =
        detail::scratch(q, q.dtype(), {together * group, shape->lengthK, shape->scoresStride()}, options);
    if (!scores)
      return scores.error();
    auto launchBoth = [&](const detail::AttentionTile &tile) {
      Result<void> done;
      for (int64_t first = 0; first < all && done; first += together) {
        int64_t some = std::min(together, all - first);
        done = launch("flash_attention_backward_kv", tile, {detail::cdiv(shape->lengthK, tile.blockN), some},
                      {gradK, gradV}, {*scores, shape->scoresStride(), first});
        if (done)
          done = launchQ(tile, *scores, first * group, some * group);
      }
      return done;
    };
    return shape->run("attention_backward_scores", q, gradOut, attention, options, launchBoth);
  }
  done = shape->run("attention_backward_kv", q, gradOut, attention, options, [&](const detail::AttentionTile &tile) {
    return launch("flash_attention_backward_kv", tile, shape->gridK(tile.blockN), {gradK, gradV});
  });
  if (!done)
    return done;
  return shape->run("attention_backward_q", k, v, attention, options, [&](const detail::AttentionTile &tile) {
    return launch("flash_attention_backward_q", tile, shape->gridQ(tile.blockM), {gradQ});
  });
}

} // namespace nereid::kernels
