// varlen_attention.hpp: varlenAttention(out, lse, q, k, v, {.startsQ = …}): sequences of different lengths in one launch, and its backward pass.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <cmath>

namespace nereid::kernels {

// Where the sequences are, int32: the queries of sequence b are startsQ[b] … startsQ[b + 1] - 1; its keys are startsK[b] …
// startsK[b + 1] - 1, or the first lengthsK[b] rows of the pages pages[b][…] of a cache.
struct VarlenSequences {
  Tensor startsQ;                                  // [batch + 1]
  int64_t longestQ = 0;                            // queries of the longest sequence
  std::optional<Tensor> startsK = {};              // [batch + 1]
  std::optional<Tensor> lengthsK = {}, pages = {}; // [batch], [batch, pages of a sequence]
  int64_t longestK = 0;                            // keys of the longest sequence, for the backward pass alone
};

struct VarlenOptions {
  bool causal = false;                       // the last query sees all keys, and none sees one behind its place
  int64_t windowLeft = -1, windowRight = -1; // so many keys before and behind a query's place are seen; -1: all
  std::optional<double> scale = {};          // of the scores; 1 / sqrt(dim) if not given
  double softcap = 0;                        // a score s becomes softcap * tanh(s / softcap); 0: it stays
  std::optional<Tensor> alibiSlopes = {};    // fp32, one for each head of q
  std::string precision = "ieee";            // of fp32 inputs, as tl.dot has it
};

namespace detail {
inline void varlenChecks(Checks &checks, const VarlenSequences &sequences) {
  Named startsQ{"startsQ", sequences.startsQ};
  checks.rank(startsQ, 1).dtype(startsQ, DType::Int32).contiguous({startsQ});
  checks.that(sequences.pages ? sequences.lengthsK && !sequences.startsK : sequences.startsK && !sequences.lengthsK,
              "either `startsK`, or `lengthsK` and `pages` are expected");
  if (checks.failed())
    return;
  int64_t batch = std::max<int64_t>(0, sequences.startsQ.shape()[0] - 1);
  checks.that(sequences.startsQ.shape()[0] > 0, "`startsQ` has no element");
  auto integers = [&](Named each, const Shape &shape) {
    checks.shape(each, shape).dtype(each, DType::Int32).contiguous({each});
  };
  if (sequences.startsK)
    integers({"startsK", *sequences.startsK}, {batch + 1});
  if (!sequences.pages)
    return;
  integers({"lengthsK", *sequences.lengthsK}, {batch});
  checks.rank({"pages", *sequences.pages}, 2);
  if (!checks.failed())
    integers({"pages", *sequences.pages}, {batch, sequences.pages->shape()[1]});
}

// How heads of a packed batch fit together.
inline void varlenHeads(Checks &checks, const Tensor &lse, const Tensor &q, const Tensor &k,
                        const VarlenOptions &attention) {
  int64_t tokens = q.shape()[0], heads = q.shape()[1], dim = q.shape()[2], headsK = k.shape()[k.rank() - 2];
  checks.that(headsK > 0 && heads % headsK == 0, "`q` has " + std::to_string(heads) +
                                                     " heads, which is no multiple of the " + std::to_string(headsK) +
                                                     " heads of `k`");
  checks.that(dim >= 16 && dim <= 256 && k.shape().back() == dim,
              "heads have " + std::to_string(dim) + " and " + std::to_string(k.shape().back()) +
                  " elements, but the same number from 16 to 256 is expected");
  checks.shape({"lse", lse}, {heads, tokens}).dtype({"lse", lse}, DType::Fp32).contiguous({{"lse", lse}});
  if (attention.alibiSlopes)
    checks.shape({"alibiSlopes", *attention.alibiSlopes}, {heads})
        .dtype({"alibiSlopes", *attention.alibiSlopes}, DType::Fp32)
        .contiguous({{"alibiSlopes", *attention.alibiSlopes}});
}
} // namespace detail

// q and out: [tokens, heads, dim]; k and v: [tokens, heads of k, dim], or with pages [pages, page size, heads of k, dim]; any strides
// but 1 for the last axis; dim from 16 to 256. lse: fp32 [heads, tokens].
inline Result<void> varlenAttention(const Tensor &out, const Tensor &lse, const Tensor &q, const Tensor &k,
                                    const Tensor &v, const VarlenSequences &sequences,
                                    const VarlenOptions &attention = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("varlenAttention");
  checks.rank({"q", q}, 3)
      .rank({"k", k}, sequences.pages ? 4 : 3)
      .sameShape({"out", out}, {"q", q})
      .sameShape({"v", v}, {"k", k});
  checks.sameType({"v", v}, {"k", k}).floats({{"q", q}, {"out", out}});
  checks.contiguousRows({{"q", q}, {"k", k}, {"v", v}, {"out", out}});
  detail::varlenChecks(checks, sequences);
  if (checks.failed())
    return checks.error();
  int64_t tokens = q.shape()[0], heads = q.shape()[1], dim = q.shape()[2], batch = sequences.startsQ.shape()[0] - 1;
  size_t axis = sequences.pages ? 1 : 0; // of the rows of k
  int64_t headsK = k.shape()[axis + 1], pageSize = sequences.pages ? k.shape()[1] : 1;
  detail::varlenHeads(checks, lse, q, k, attention);
  if (checks.failed())
    return checks.error();
  bool isNarrow = detail::isGpu(options) && bytesOf(q.dtype()) == 2;
  int64_t blockM = std::clamp<int64_t>(detail::powerOfTwo(sequences.longestQ), 16, isNarrow ? 128 : 64);
  int64_t blockN = dim > 128 ? 32 : 64;
  LaunchOptions tuned = detail::withDefaults(options, blockM >= 128 ? 8 : 4);
  auto stride = [](const Tensor &tensor, size_t at) { return tensor.strides()[at]; };
  return detail::launch(detail::find("varlen_attention", "varlen_attention"),
                        {detail::cdiv(sequences.longestQ, blockM), batch * heads}, tuned,
                        {q,
                         k,
                         v,
                         out,
                         lse,
                         sequences.startsQ,
                         detail::optionalArgument(sequences.startsK),
                         detail::optionalArgument(sequences.lengthsK),
                         detail::optionalArgument(sequences.pages),
                         detail::optionalArgument(attention.alibiSlopes),
                         attention.scale.value_or(1 / std::sqrt(static_cast<double>(dim))),
                         attention.windowLeft,
                         attention.causal ? 0 : attention.windowRight,
                         stride(q, 0),
                         stride(q, 1),
                         axis ? stride(k, 0) : 0,
                         stride(k, axis),
                         stride(k, axis + 1),
                         axis ? stride(v, 0) : 0,
                         stride(v, axis),
                         stride(v, axis + 1),
                         stride(out, 0),
                         stride(out, 1),
                         sequences.pages ? stride(*sequences.pages, 0) : 0,
                         tokens,
                         heads,
                         heads / headsK,
                         dim,
                         pageSize,
                         blockM,
                         blockN,
                         detail::powerOfTwo(dim),
                         attention.softcap,
                         attention.precision});
}

// The gradients of packed q, k and v, whose strides they have; gradOut has those of out. lse is what the forward pass gave, and sequences.longestK is told.
inline Result<void> varlenAttentionBackward(const Tensor &gradQ, const Tensor &gradK, const Tensor &gradV,
                                            const Tensor &gradOut, const Tensor &out, const Tensor &lse,
                                            const Tensor &q, const Tensor &k, const Tensor &v,
                                            const VarlenSequences &sequences, const VarlenOptions &attention = {},
                                            const LaunchOptions &options = {}) {
  detail::Checks checks("varlenAttentionBackward");
  checks.rank({"q", q}, 3).rank({"k", k}, 3).sameShape({"out", out}, {"q", q}).sameShape({"v", v}, {"k", k});
  checks.that(!sequences.pages, "`pages` have no backward pass: packed keys and values are expected");
  using Pair = std::pair<detail::Named, detail::Named>;
  for (auto [gradient, tensor] : {Pair{{"gradQ", gradQ}, {"q", q}},
                                  {{"gradK", gradK}, {"k", k}},
                                  {{"gradV", gradV}, {"v", v}},
                                  {{"gradOut", gradOut}, {"out", out}}}) {
    checks.floats({tensor}).sameType(tensor, {"q", q}).contiguousRows({tensor});
    checks.sameShape(gradient, tensor).sameType(gradient, tensor);
    checks.that(gradient.tensor.strides() == tensor.tensor.strides(),
                std::string("`") + gradient.name + "` has strides " + detail::Checks::text(gradient.tensor.strides()) +
                    ", but those of `" + tensor.name +
                    "` are expected: " + detail::Checks::text(tensor.tensor.strides()));
  }
  detail::varlenChecks(checks, sequences);
  if (!checks.failed())
    detail::varlenHeads(checks, lse, q, k, attention);
  if (checks.failed())
    return checks.error();
  Result<Tensor> delta = detail::scratch(q, DType::Fp32, lse.shape(), options);
  if (!delta)
    return delta.error();
  int64_t tokens = q.shape()[0], heads = q.shape()[1], dim = q.shape()[2], headsK = k.shape()[1];
  int64_t batch = sequences.startsQ.shape()[0] - 1, most = dim > 128 ? 32 : 64;
  auto block = [](int64_t length, int64_t most) { return std::clamp<int64_t>(detail::powerOfTwo(length), 16, most); };
  LaunchOptions tuned = detail::withDefaults(options, 4, dim > 128 ? 2 : 3);
  int64_t blockM = block(sequences.longestQ, most), blockN = block(sequences.longestK, most);
  std::vector<Argument> inputs{q, k, v, gradOut, lse, *delta};
  auto launch = [&](const char *kernel, std::vector<int64_t> grid, int64_t blockM, std::vector<Argument> gradients) {
    std::vector<Argument> arguments = inputs;
    arguments.insert(arguments.end(), gradients.begin(), gradients.end());
    arguments.insert(arguments.end(),
                     {sequences.startsQ, *sequences.startsK, detail::optionalArgument(attention.alibiSlopes),
                      attention.scale.value_or(1 / std::sqrt(static_cast<double>(dim))), attention.windowLeft,
                      attention.causal ? 0 : attention.windowRight});
    for (const Tensor *each : {&q, &k, &v, &out})
      arguments.insert(arguments.end(), {each->strides()[0], each->strides()[1]});
    arguments.insert(arguments.end(), {tokens, heads, heads / headsK, dim, blockM, blockN, detail::powerOfTwo(dim),
                                       attention.softcap, attention.precision});
    return detail::launch(detail::find("varlen_attention", kernel), std::move(grid), tuned, arguments);
  };
  Result<void> done = detail::launch(
      detail::find("varlen_attention", "varlen_attention_delta"), {detail::cdiv(tokens, blockM), heads}, options,
      {out, gradOut, *delta, out.strides()[0], out.strides()[1], tokens, dim, blockM, detail::powerOfTwo(dim)});
  // Four products on tiles of keys: with long rows, fewer queries at a time leave registers for them.
  int64_t blockOfKeys = dim > 64 ? std::min<int64_t>(blockM, 32) : blockM;
  if (done)
    done = launch("varlen_attention_backward_kv", {detail::cdiv(sequences.longestK, blockN), batch * headsK},
                  blockOfKeys, {gradK, gradV});
  return done ? launch("varlen_attention_backward_q", {detail::cdiv(sequences.longestQ, blockM), batch * heads}, blockM,
                       {gradQ})
              : done;
}

} // namespace nereid::kernels
