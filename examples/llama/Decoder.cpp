// Decoder.cpp: the state of all rows lies where the model is, at addresses that stay: each step reads it, draws, and writes the
// next one. The first step of a decoder runs launch by launch, which compiles and takes memory; the second is recorded.
#include "Decoder.h"

#include <nereid/kernels/sampling.hpp>
#include <nereid/registry.hpp>

namespace llama {

namespace {

namespace detail = nereid::kernels::detail;

// The logits of a row are looked at by so many programs.
int64_t partsOf(int64_t columns) { return std::clamp<int64_t>(columns / 4096, 1, 64); }

} // namespace

Decoder::State Decoder::send(Steps &steps, const std::vector<DecodeRow> &rows) {
  auto count = static_cast<size_t>(shape.rows), width = static_cast<size_t>(shape.pages + 1);
  std::vector<int64_t> tokens(count), slots(count, -1), seeds(count);
  std::vector<int32_t> positions(count), lengths(count), counts(count), topK(count), pages(count * width);
  std::vector<float> temperature(count), topP(count, 1);
  for (size_t i = 0; i < rows.size(); ++i) {
    const DecodeRow &row = rows[i];
    tokens[i] = row.token, seeds[i] = row.seed;
    positions[i] = static_cast<int32_t>(row.length), lengths[i] = positions[i] + 1;
    slots[i] = row.pages[static_cast<size_t>(row.length / cache->page)] * cache->page + row.length % cache->page;
    temperature[i] = row.temperature, topK[i] = row.topK, topP[i] = row.topP;
    std::copy(row.pages.begin(), row.pages.end(), pages.begin() + static_cast<int64_t>(i * width));
  }
  parcel.clear();
  size_t at[] = {parcel.add(tokens),  parcel.add(slots),  parcel.add(seeds),       parcel.add(positions),
                 parcel.add(lengths), parcel.add(counts), parcel.add(temperature), parcel.add(topK),
                 parcel.add(topP),    parcel.add(pages)};
  Tensor there = work(steps, "state", DType::UInt8, {parcel.size()});
  steps([&] { return parcel.send(model->place(), there); });
  auto view = [&](size_t which, DType dtype) { return viewOf(there, at[which], dtype, {shape.rows}); };
  return {{view(0, DType::Int64), view(1, DType::Int64), view(3, DType::Int32), view(4, DType::Int32),
           viewOf(there, at[9], DType::Int32, {shape.rows, shape.pages + 1})},
          view(2, DType::Int64),
          view(5, DType::Int32),
          view(6, DType::Fp32),
          view(7, DType::Int32),
          view(8, DType::Fp32)};
}

void Decoder::step(Steps &steps, const State &state, const Tensor &history) {
  steps([&] { return work.begin(); });
  Tensor logits = model->decode(steps, work, state.inputs, *cache);
  int64_t columns = logits.shape()[1], parts = partsOf(columns);
  nereid::Argument values = nullptr, places = nullptr, drawn = nullptr;
  if (shape.isGreedy) {
    Tensor largest = work(steps, "largest", DType::Fp32, {shape.rows, parts}),
           where = work(steps, "places", DType::Int32, {shape.rows, parts});
    nereid::LaunchOptions options = work.options();
    options.grid = {shape.rows, parts};
    steps([&] {
      return nereid::call("llama/decode:largest_of_parts", options,
                          {logits, largest, where, columns, detail::cdiv(columns, parts), 1024});
    });
    values = largest, places = where;
  } else {
    Tensor tokens = work(steps, "drawn", DType::Int64, {shape.rows});
    steps([&] {
      return nereid::kernels::sample(tokens, logits, state.seeds,
                                     {.temperature = state.temperature, .topK = state.topK, .topP = state.topP},
                                     work.options());
    });
    drawn = tokens;
  }
  nereid::LaunchOptions options = work.options();
  options.grid = {shape.rows};
  if (model->place().isGpu())
    options.numWarps = 1;
  const DecodeInputs &inputs = state.inputs;
  steps([&] {
    return nereid::call("llama/decode:advance", options,
                        {values, places, drawn, inputs.tokens, inputs.positions, inputs.lengths, inputs.slots,
                         state.seeds, state.counts, inputs.pages, history, inputs.pages.shape()[1], parts, columns,
                         kSeedStep, cache->page, detail::powerOfTwo(parts)});
  });
}

Result<std::vector<std::vector<int64_t>>> Decoder::run(const std::vector<DecodeRow> &rows, int64_t count) {
  Steps steps;
  const Place &place = model->place();
  State state = send(steps, rows);
  Tensor history = work(steps, "history", DType::Int64, {shape.steps, shape.rows});
  for (int64_t i = 0; i < count && !steps.failed(); ++i) {
    if (graph) {
      steps([&] { return graph->launch(place.stream()); });
      continue;
    }
    step(steps, state, history);
    if (!place.isGpu())
      continue;
    // All that the step needs is there now.
    steps([&] { return work.begin(); });
    graph = steps.value([&] {
      return nereid::DeviceGraph::record(place.options().device, place.stream(), [&]() -> Result<void> {
        Steps recorded;
        step(recorded, state, history);
        return recorded.result();
      });
    });
  }
  std::optional<Tensor> host = steps.value([&] { return place.fetch(history); });
  if (!host)
    return steps.error();
  auto all = host->values<int64_t>();
  std::vector<std::vector<int64_t>> drawn;
  for (int64_t i = 0; i < count; ++i) {
    auto first = all.begin() + i * shape.rows;
    drawn.emplace_back(first, first + static_cast<int64_t>(rows.size()));
  }
  return drawn;
}

} // namespace llama
