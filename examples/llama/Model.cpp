// Model.cpp: a step, written in the library's kernels.
#include "Model.h"

#include <nereid/kernels/add_rms_norm.hpp>
#include <nereid/kernels/embedding.hpp>
#include <nereid/kernels/kv_cache.hpp>
#include <nereid/kernels/rms_norm.hpp>
#include <nereid/kernels/rope.hpp>
#include <nereid/kernels/swiglu.hpp>
#include <nereid/kernels/varlen_attention.hpp>

#include <cmath>

namespace llama {

namespace kernels = nereid::kernels;

namespace {

// Columns first … of a contiguous matrix as [rows, heads, dim].
Tensor headsOf(const Tensor &matrix, int64_t first, int64_t heads, int64_t dim) {
  int64_t width = matrix.shape()[1], rows = matrix.shape()[0];
  return Tensor::borrow(matrix.data() + first * static_cast<int64_t>(nereid::bytesOf(matrix.dtype())), matrix.dtype(),
                        {rows, heads, dim}, {width, dim, 1})
      .onGpu(matrix.gpuOrdinal());
}

} // namespace

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

Result<Cache> Model::makeCache(int64_t pages) const {
  Cache cache{{}, {}, pages};
  Steps steps;
  for (size_t i = 0; i < layers.size(); ++i)
    for (std::vector<Tensor> *side : {&cache.k, &cache.v})
      if (auto memory =
              steps.value([&] { return where->zeros(embedding.dtype(), {pages, kPage, shape.headsK, shape.dim()}); }))
        side->push_back(*memory);
  return steps.failed() ? Result<Cache>(steps.error()) : cache;
}

Model::Inputs Model::upload(Steps &steps, const Batch &batch) {
  auto tokens = static_cast<int64_t>(batch.tokens.size()), sequences = static_cast<int64_t>(batch.lengths.size());
  auto put = [&](const char *name, DType dtype, const Shape &extents, const void *values) {
    Tensor here = work(steps, name, dtype, extents);
    steps([&] { return where->overwrite(here, values); });
    return here;
  };
  size_t most = 1;
  for (const auto &pages : batch.pages)
    most = std::max(most, pages.size());
  std::vector<int32_t> pages(most * batch.pages.size()), last;
  for (size_t b = 0; b < batch.pages.size(); ++b) {
    std::copy(batch.pages[b].begin(), batch.pages[b].end(), pages.begin() + static_cast<int64_t>(b * most));
    last.push_back(batch.starts[b + 1] - 1);
  }
  return {put("tokens", DType::Int64, {tokens}, batch.tokens.data()),
          put("slots", DType::Int64, {tokens}, batch.slots.data()),
          put("positions", DType::Int32, {tokens}, batch.positions.data()),
          put("starts", DType::Int32, {sequences + 1}, batch.starts.data()),
          put("lengths", DType::Int32, {sequences}, batch.lengths.data()),
          put("pages", DType::Int32, {sequences, static_cast<int64_t>(most)}, pages.data()),
          put("last", DType::Int32, {sequences}, last.data())};
}

// out = attention of h, before it is added to the rest.
void Model::attend(Steps &steps, const Layer &layer, size_t number, const Batch &batch, const Inputs &inputs,
                   const Cache &cache, const Tensor &out, const Tensor &h) {
  int64_t tokens = h.shape()[0], dim = shape.dim();
  DType dtype = h.dtype();
  const nereid::LaunchOptions &options = where->options();
  Tensor qkv = work(steps, "qkv", dtype, {tokens, shape.qkvWidth()}),
         heads = work(steps, "heads", dtype, {tokens, shape.heads, dim}),
         lse = work(steps, "lse", DType::Fp32, {shape.heads, tokens});
  Tensor cos = work(steps, "cos", DType::Fp32, {tokens, dim / 2}),
         sin = work(steps, "sin", DType::Fp32, {tokens, dim / 2});
  Tensor q = headsOf(qkv, 0, shape.heads, dim), k = headsOf(qkv, shape.heads * dim, shape.headsK, dim),
         v = headsOf(qkv, (shape.heads + shape.headsK) * dim, shape.headsK, dim);
  steps([&] { return layer.qkv(qkv, h, *where); });
  // Queries and keys lie side by side: they are turned as one.
  Tensor turned = qkv.viewed(dtype, {1, tokens, shape.heads + shape.headsK, dim}, {0, shape.qkvWidth(), dim, 1});
  steps([&] { return kernels::rope(turned, turned, cos, sin, {}, options); });
  steps([&] { return kernels::writeKvCache(cache.k[number], cache.v[number], k, v, inputs.slots, {}, options); });
  int64_t longest = 0;
  for (size_t b = 0; b < batch.lengths.size(); ++b)
    longest = std::max<int64_t>(longest, batch.starts[b + 1] - batch.starts[b]);
  kernels::VarlenSequences sequences{
      .startsQ = inputs.starts, .longestQ = longest, .lengthsK = inputs.lengths, .pages = inputs.pages};
  steps([&] {
    return kernels::varlenAttention(heads, lse, q, cache.k[number], cache.v[number], sequences, {.causal = true},
                                    options);
  });
  steps([&] { return layer.out(out, heads.viewed(dtype, {tokens, shape.width}, {shape.width, 1}), *where); });
}

Result<Tensor> Model::step(const Batch &batch, const Cache &cache) {
  Steps steps;
  auto tokens = static_cast<int64_t>(batch.tokens.size()), sequences = static_cast<int64_t>(batch.lengths.size());
  DType dtype = embedding.dtype();
  const nereid::LaunchOptions &options = where->options();
  Inputs inputs = upload(steps, batch);
  Tensor x = work(steps, "x", dtype, {tokens, shape.width}), h = work(steps, "h", dtype, {tokens, shape.width}),
         change = work(steps, "change", dtype, {tokens, shape.width});
  Tensor gateUp = work(steps, "gate and up", dtype, {tokens, 2 * shape.hidden}),
         active = work(steps, "active", dtype, {tokens, shape.hidden});
  auto half = [&](int64_t first) {
    return Tensor::borrow(gateUp.data() + first * static_cast<int64_t>(nereid::bytesOf(dtype)), dtype, active.shape(),
                          gateUp.strides())
        .onGpu(gateUp.gpuOrdinal());
  };
  // The positions' rows of the tables, once for all layers.
  for (auto [name, table] : {std::pair{"cos", &cosines}, std::pair{"sin", &sines}}) {
    Tensor rows = work(steps, name, DType::Fp32, {tokens, shape.dim() / 2});
    steps([&] { return kernels::embedding(rows, *table, inputs.positions, options); });
  }
  steps([&] { return kernels::embedding(x, embedding, inputs.tokens, options); });
  steps([&] { return kernels::rmsNorm(h, x, layers[0].attentionNorm, shape.eps, options); });
  for (size_t i = 0; i < layers.size() && !steps.failed(); ++i) {
    const Layer &layer = layers[i];
    attend(steps, layer, i, batch, inputs, cache, change, h);
    steps([&] { return kernels::addRmsNorm(h, x, change, x, layer.mlpNorm, shape.eps, options); });
    steps([&] { return layer.gateUp(gateUp, h, *where); });
    steps([&] { return kernels::swiglu(active, half(0), half(shape.hidden), options); });
    steps([&] { return layer.down(change, active, *where); });
    const Tensor &next = i + 1 < layers.size() ? layers[i + 1].attentionNorm : norm;
    steps([&] { return kernels::addRmsNorm(h, x, change, x, next, shape.eps, options); });
  }
  Tensor last = work(steps, "last rows", dtype, {sequences, shape.width}),
         logits = work(steps, "logits", DType::Fp32, {sequences, head.rows()});
  steps([&] { return kernels::embedding(last, h, inputs.last, options); });
  steps([&] { return head(logits, last, *where); });
  return steps.failed() ? Result<Tensor>(steps.error()) : logits;
}

} // namespace llama
