// Model.h: one step of a Llama-shaped model over tokens of several sequences at once, with a paged cache of keys and values.
#pragma once

#include "Linear.h"
#include "Weights.h"

namespace llama {

// Keys and values of all layers, in pages of kPage tokens that sequences share out among themselves.
inline constexpr int64_t kPage = 16;

struct Cache {
  std::vector<Tensor> k, v; // of each layer: [pages, kPage, heads of k, dim]
  int64_t pages = 0;
};

// The tokens of a step: those of sequence b stand one after the other, whether it is a prompt's beginning or one that was
// just drawn. All vectors are of the host.
struct Batch {
  std::vector<int64_t> tokens, slots;      // which tokens, and which rows of all pages they go to
  std::vector<int32_t> positions;          // of each token in its sequence
  std::vector<int32_t> starts{0};          // [sequences + 1]: where their tokens begin
  std::vector<int32_t> lengths;            // [sequences]: keys up to the last token
  std::vector<std::vector<int32_t>> pages; // of each sequence
};

class Model {
public:
  static Result<Model> make(const Weights &weights, WeightKind kind, const Place &place);

  const Config &config() const { return shape; }
  const Place &place() const { return *where; }
  Result<Cache> makeCache(int64_t pages) const;

  // The logits behind the last token of each sequence, [sequences, vocabulary]; they are overwritten by the next step.
  Result<Tensor> step(const Batch &batch, const Cache &cache);

private:
  struct Layer {
    Tensor attentionNorm, mlpNorm;
    Linear qkv, out, gateUp, down;
  };
  Model(const Weights &weights, const Place &place, Linear head)
      : shape(weights.config), where(&place), embedding(weights.embedding), norm(weights.norm), cosines(weights.norm),
        sines(weights.norm), head(std::move(head)), work(place) {}

  struct Inputs {
    Tensor tokens, slots, positions, starts, lengths, pages, last;
  };
  Inputs upload(Steps &steps, const Batch &batch);
  void attend(Steps &steps, const Layer &layer, size_t number, const Batch &batch, const Inputs &inputs,
              const Cache &cache, const Tensor &out, const Tensor &h);

  Config shape;
  const Place *where;
  Tensor embedding, norm;
  Tensor cosines, sines; // fp32 [longest, dim / 2]
  std::vector<Layer> layers;
  Linear head;
  Workspace work;
};

// cos and sin of all positions, fp32 [longest, dim / 2] each.
Result<std::pair<Tensor, Tensor>> ropeTables(const Config &config, const Place &place);

} // namespace llama
