// Decoder.h: several steps of one token a sequence, without a word from the host between them: what was drawn is the next step's
// input where the model is. On a GPU a step is a recorded graph.
#pragma once

#include "Model.h"

namespace llama {

// A sequence as the decoder takes it: its last token is not in the cache yet, and `pages` have room for all steps.
struct DecodeRow {
  int64_t token = 0, length = 0; // of the cache: the token goes to this place
  std::vector<int32_t> pages;
  int64_t seed = 0; // of the next draw; grows by kSeedStep with each
  float temperature = 0, topP = 1;
  int32_t topK = 0;
};
inline constexpr int64_t kSeedStep = 1000003;

class Decoder {
public:
  // What a decoder is made for: that many rows or fewer, pages of a sequence, steps at a time.
  struct Shape {
    int64_t rows = 1, pages = 1, steps = 1;
    bool isGreedy = true; // all rows take the largest logit
    auto operator<=>(const Shape &) const = default;
  };
  // The model and the cache must outlive it.
  Decoder(const Model &model, const Cache &cache, const Shape &shape)
      : model(&model), cache(&cache), shape(shape), work(model.place()) {}

  // `count` steps of all rows: [count][rows] tokens. Waits once.
  Result<std::vector<std::vector<int64_t>>> run(const std::vector<DecodeRow> &rows, int64_t count);

private:
  struct State {
    DecodeInputs inputs;
    Tensor seeds, counts, temperature, topK, topP;
  };
  State send(Steps &steps, const std::vector<DecodeRow> &rows);
  void step(Steps &steps, const State &state, const Tensor &history);

  const Model *model;
  const Cache *cache;
  Shape shape;
  Workspace work;
  Parcel parcel;
  std::optional<nereid::DeviceGraph> graph;
};

} // namespace llama
