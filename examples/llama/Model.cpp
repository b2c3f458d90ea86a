// Model.cpp: a step, written in the library's kernels and those of `kernels/decode`.
#include "Model.h"

#include <nereid/kernels/add_rms_norm.hpp>
#include <nereid/kernels/decode_attention.hpp>
#include <nereid/kernels/embedding.hpp>
#include <nereid/kernels/rms_norm.hpp>
#include <nereid/kernels/varlen_attention.hpp>
#include <nereid/registry.hpp>

#include <algorithm>
#include <cmath>

namespace llama {

namespace kernels = nereid::kernels;

Result<std::pair<Tensor, Tensor>> ropeTables(const Config &config, const Place &place) {
  int64_t half = config.dim() / 2;
  Result<Tensor> cosines = Tensor::zeros(DType::Fp32, {config.longest, half}),
                 sines = Tensor::zeros(DType::Fp32, {config.longest, half});
  if (!cosines || !sines)
    return (cosines ? sines : cosines).error();
  for (int64_t position = 0; position < config.longest; ++position)
    for (int64_t i = 0; i < half; ++i) {
      double angle =
          static_cast<double>(position) * std::pow(config.theta, -static_cast<double>(i) / static_cast<double>(half));
      cosines->values<float>()[static_cast<size_t>(position * half + i)] = static_cast<float>(std::cos(angle));
      sines->values<float>()[static_cast<size_t>(position * half + i)] = static_cast<float>(std::sin(angle));
    }
  Result<Tensor> c = place.bring(*cosines), s = place.bring(*sines);
  if (!c || !s)
    return (c ? s : c).error();
  return std::pair{*c, *s};
}

Result<Model> Model::make(const Weights &weights, WeightKind kind, const Place &place) {
  Steps steps;
  auto linear = [&](const Tensor &weight, WeightKind kind) {
    return steps.value([&] { return Linear::make(weight, kind, place); });
  };
  auto here = [&](const Tensor &tensor) { return steps.value([&] { return place.bring(tensor); }).value_or(tensor); };
  // The head decides between words that are close: it stays as it is.
  std::optional<Linear> head = linear(weights.head, WeightKind::AsStored);
  if (!head)
    return steps.error();
  Model model(weights, place, *head);
  model.embedding = here(weights.embedding), model.norm = here(weights.norm);
  if (auto tables = steps.value([&] { return ropeTables(weights.config, place); }))
    std::tie(model.cosines, model.sines) = *tables;
  for (const llama::Layer &layer : weights.layers) {
    auto qkv = linear(layer.qkv, kind), out = linear(layer.out, kind), gateUp = linear(layer.gateUp, kind),
         down = linear(layer.down, kind);
    if (steps.failed())
      return steps.error();
    model.layers.push_back({here(layer.attentionNorm), here(layer.mlpNorm), *qkv, *out, *gateUp, *down});
  }
  return steps.failed() ? Result<Model>(steps.error()) : Result<Model>(std::move(model));
}

Result<Cache> Model::makeCache(int64_t pages, int64_t page) const {
  Cache cache{{}, {}, pages, page};
  Steps steps;
  for (size_t i = 0; i < layers.size(); ++i)
    for (std::vector<Tensor> *side : {&cache.k, &cache.v})
      if (auto memory =
              steps.value([&] { return where->empty(embedding.dtype(), {pages, page, shape.headsK, shape.dim()}); }))
        side->push_back(*memory);
  return steps.failed() ? Result<Cache>(steps.error()) : cache;
}

Model::Inputs Model::upload(Steps &steps, const Batch &batch) {
  auto tokens = static_cast<int64_t>(batch.tokens.size()), sequences = static_cast<int64_t>(batch.lengths.size());
  size_t most = 1;
  for (const auto &pages : batch.pages)
    most = std::max(most, pages.size());
  std::vector<int32_t> pages(most * batch.pages.size()), last;
  for (size_t b = 0; b < batch.pages.size(); ++b) {
    std::copy(batch.pages[b].begin(), batch.pages[b].end(), pages.begin() + static_cast<int64_t>(b * most));
    last.push_back(batch.starts[b + 1] - 1);
  }
  parcel.clear();
  size_t places[] = {parcel.add(batch.tokens), parcel.add(batch.slots),   parcel.add(batch.positions),
                     parcel.add(batch.starts), parcel.add(batch.lengths), parcel.add(pages),
                     parcel.add(last)};
  Tensor there = work(steps, "inputs", DType::UInt8, {parcel.size()});
  steps([&] { return parcel.send(*where, there); });
  return {viewOf(there, places[0], DType::Int64, {tokens}),
          viewOf(there, places[1], DType::Int64, {tokens}),
          viewOf(there, places[2], DType::Int32, {tokens}),
          viewOf(there, places[3], DType::Int32, {sequences + 1}),
          viewOf(there, places[4], DType::Int32, {sequences}),
          viewOf(there, places[5], DType::Int32, {sequences, static_cast<int64_t>(most)}),
          viewOf(there, places[6], DType::Int32, {sequences})};
}

// The queries in the first columns of qkv, as [rows, heads, dim].
Tensor Model::queriesOf(const Tensor &qkv) const {
  return qkv.viewed(qkv.dtype(), {qkv.shape()[0], shape.heads, shape.dim()}, {shape.qkvWidth(), shape.dim(), 1});
}

// Queries and keys are turned by their positions, keys and values go into the cache.
Result<void> Model::turnIntoCache(const Tensor &qkv, const Tensor &positions, const Tensor &slots, const Tensor &k,
                                  const Tensor &v, const nereid::LaunchOptions &options) const {
  nereid::LaunchOptions tuned = options;
  tuned.grid = {qkv.shape()[0], shape.heads + 2 * shape.headsK};
  if (where->isGpu())
    tuned.numWarps = 1;
  int64_t half = shape.dim() / 2;
  return nereid::call("llama/decode:rope_into_cache", tuned,
                      {qkv, cosines, sines, positions, slots, k, v, qkv.strides()[0], shape.heads, shape.headsK, half,
                       kernels::detail::powerOfTwo(half)});
}

// x += input @ weight^T, and h = norm(x): shares of the depth are added up where the norm is computed. `change` is room for the product.
void Model::addNormed(Steps &steps, Workspace &work, const Linear &linear, const Tensor &input, const Tensor &gain,
                      const Tensor &h, const Tensor &x, const Tensor &change) const {
  int64_t rows = input.shape()[0], shares = linear.sharesFor(rows, work.options());
  if (shares < 2 || nereid::bytesOf(x.dtype()) != 2) {
    steps([&] { return linear(change, input, work.options()); });
    steps([&] { return kernels::addRmsNorm(h, x, change, x, gain, shape.eps, work.options()); });
    return;
  }
  Tensor sums = work(steps, "sums", DType::Fp32, {shares, rows, shape.width});
  steps([&] { return linear.share(sums, input, work.options()); });
  nereid::LaunchOptions options = work.options();
  options.grid = {rows};
  steps([&] {
    return nereid::call("llama/batch:add_shares_norm", options,
                        {sums, x, gain, h, shape.width, shape.eps, shares, kernels::detail::powerOfTwo(shape.width)});
  });
}

// What the layers make of the tokens, behind the last norm: [tokens, width].
Tensor Model::layersOf(Steps &steps, Workspace &work, const Tensor &tokens, const Tensor &positions,
                       const Tensor &slots, const Cache &cache, const Attend &attend) const {
  int64_t rows = tokens.shape()[0];
  DType dtype = embedding.dtype();
  const nereid::LaunchOptions &options = work.options();
  auto buffer = [&](const char *name, int64_t columns) { return work(steps, name, dtype, {rows, columns}); };
  Tensor x = buffer("x", shape.width), h = buffer("h", shape.width), change = buffer("change", shape.width),
         qkv = buffer("qkv", shape.qkvWidth()), heads = buffer("heads", shape.width),
         gateUp = buffer("gate and up", 2 * shape.hidden), active = buffer("active", shape.hidden);
  steps([&] { return kernels::embedding(x, embedding, tokens, options); });
  steps([&] { return kernels::rmsNorm(h, x, layers[0].attentionNorm, shape.eps, options); });
  for (size_t i = 0; i < layers.size() && !steps.failed(); ++i) {
    const Layer &layer = layers[i];
    steps([&] { return layer.qkv(qkv, h, options); });
    steps([&] { return turnIntoCache(qkv, positions, slots, cache.k[i], cache.v[i], options); });
    Tensor out = heads.viewed(dtype, {rows, shape.heads, shape.dim()}, {shape.width, shape.dim(), 1});
    steps([&] { return attend(i, out, queriesOf(qkv)); });
    addNormed(steps, work, layer.out, heads, layer.mlpNorm, h, x, change);
    steps([&] { return layer.gateUp.swiglu(active, gateUp, h, options); });
    const Tensor &next = i + 1 < layers.size() ? layers[i + 1].attentionNorm : norm;
    addNormed(steps, work, layer.down, active, next, h, x, change);
  }
  return h;
}

Result<Tensor> Model::step(const Batch &batch, const Cache &cache) {
  Steps steps;
  auto tokens = static_cast<int64_t>(batch.tokens.size()), sequences = static_cast<int64_t>(batch.lengths.size());
  steps([&] { return work.begin(); });
  Inputs inputs = upload(steps, batch);
  Tensor lse = work(steps, "lse", DType::Fp32, {shape.heads, tokens});
  int64_t longest = 0;
  for (size_t b = 0; b < batch.lengths.size(); ++b)
    longest = std::max<int64_t>(longest, batch.starts[b + 1] - batch.starts[b]);
  kernels::VarlenSequences among{
      .startsQ = inputs.starts, .longestQ = longest, .lengthsK = inputs.lengths, .pages = inputs.pages};
  Attend attend = [&](size_t layer, const Tensor &out, const Tensor &q) {
    return kernels::varlenAttention(out, lse, q, cache.k[layer], cache.v[layer], among, {.causal = true},
                                    work.options());
  };
  Tensor h = layersOf(steps, work, inputs.tokens, inputs.positions, inputs.slots, cache, attend);
  Tensor last = work(steps, "last rows", embedding.dtype(), {sequences, shape.width}),
         logits = work(steps, "logits", DType::Fp32, {sequences, head.rows()});
  steps([&] { return kernels::embedding(last, h, inputs.last, work.options()); });
  steps([&] { return head(logits, last, work.options()); });
  return steps.failed() ? Result<Tensor>(steps.error()) : logits;
}

// One row: norms, activations and sums are part of the products.
Tensor Model::decodeRow(Steps &steps, Workspace &work, const DecodeInputs &inputs, const Cache &cache,
                        const Attend &attend) const {
  DType dtype = embedding.dtype();
  const nereid::LaunchOptions &options = work.options();
  auto buffer = [&](const char *name, int64_t columns) { return work(steps, name, dtype, {1, columns}); };
  Tensor x = buffer("x", shape.width), qkv = buffer("qkv", shape.qkvWidth()), heads = buffer("heads", shape.width),
         active = buffer("active", shape.hidden), logits = work(steps, "logits", DType::Fp32, {1, head.rows()});
  steps([&] { return kernels::embedding(x, embedding, inputs.tokens, options); });
  for (size_t i = 0; i < layers.size() && !steps.failed(); ++i) {
    const Layer &layer = layers[i];
    steps([&] { return layer.qkv.row(qkv, x, {.gain = layer.attentionNorm, .eps = shape.eps}, options); });
    steps([&] { return turnIntoCache(qkv, inputs.positions, inputs.slots, cache.k[i], cache.v[i], options); });
    Tensor out = heads.viewed(dtype, {1, shape.heads, shape.dim()}, {shape.width, shape.dim(), 1});
    steps([&] { return attend(i, out, queriesOf(qkv)); });
    steps([&] { return layer.out.row(x, heads, {.residual = x}, options); });
    steps([&] {
      return layer.gateUp.row(active, x, {.gain = layer.mlpNorm, .eps = shape.eps, .isSwiglu = true}, options);
    });
    steps([&] { return layer.down.row(x, active, {.residual = x}, options); });
  }
  steps([&] { return head.row(logits, x, {.gain = norm, .eps = shape.eps}, options); });
  return logits;
}

Tensor Model::decode(Steps &steps, Workspace &work, const DecodeInputs &inputs, const Cache &cache) const {
  int64_t rows = inputs.tokens.shape()[0], longest = cache.page * inputs.pages.shape()[1];
  // Programs for all multiprocessors, of 64 keys or more.
  int64_t programs = 8;
  if (where->isGpu())
    programs = kernels::detail::multiprocessors(work.options()) *
               configurationFor("llama/decode_attention",
                                kernels::detail::textOf({{"rows", rows}, {"length", longest}}), work.options())
                   .get("PROGRAMS", 1);
  int64_t splits = std::clamp<int64_t>(programs / (rows * shape.headsK), 1, kernels::detail::cdiv(longest, 64));
  Attend attend = [&, splits](size_t layer, const Tensor &out, const Tensor &q) {
    return kernels::decodeAttention(out, q, cache.k[layer], cache.v[layer], inputs.lengths,
                                    {.pages = inputs.pages, .splits = splits}, work.options());
  };
  if (rows == 1 && layers[0].qkv.hasRows())
    return decodeRow(steps, work, inputs, cache, attend);
  Tensor h = layersOf(steps, work, inputs.tokens, inputs.positions, inputs.slots, cache, attend);
  Tensor logits = work(steps, "logits", DType::Fp32, {rows, head.rows()});
  steps([&] { return head(logits, h, work.options()); });
  return logits;
}

} // namespace llama
