// Model.h: one step of a Llama-shaped model over tokens of several sequences at once, with a paged cache of keys and values.
#pragma once

#include "Linear.h"
#include "Weights.h"

#include <functional>

namespace llama {

// Keys and values of all layers, in pages of some tokens that sequences share out among themselves.
struct Cache {
  std::vector<Tensor> k, v; // of each layer: [pages, page, heads of k, dim]
  int64_t pages = 0, page = 16;
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

// The same for one token of each sequence, where the model is.
struct DecodeInputs {
  Tensor tokens, slots;      // int64 [rows]; a row with a negative slot is nobody's
  Tensor positions, lengths; // int32 [rows]
  Tensor pages;              // int32 [rows, pages of a sequence]
};

class Model {
public:
  static Result<Model> make(const Weights &weights, WeightKind kind, const Place &place);

  const Config &config() const { return shape; }
  const Place &place() const { return *where; }
  Result<Cache> makeCache(int64_t pages, int64_t page) const;

  // The logits behind the last token of each sequence, fp32 [sequences, vocabulary]; they are overwritten by the next step.
  Result<Tensor> step(const Batch &batch, const Cache &cache);
  // The same for one token a row, in memory of `work`: a fixed sequence of launches, which a graph can hold.
  Tensor decode(Steps &steps, Workspace &work, const DecodeInputs &inputs, const Cache &cache) const;

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
  // out = attention of queries over the cache of a layer.
  using Attend = std::function<Result<void>(size_t layer, const Tensor &out, const Tensor &q)>;
  void addNormed(Steps &steps, Workspace &work, const Linear &linear, const Tensor &input, const Tensor &gain,
                 const Tensor &h, const Tensor &x, const Tensor &change) const;
  Tensor layersOf(Steps &steps, Workspace &work, const Tensor &tokens, const Tensor &positions, const Tensor &slots,
                  const Cache &cache, const Attend &attend) const;
  Tensor decodeRow(Steps &steps, Workspace &work, const DecodeInputs &inputs, const Cache &cache,
                   const Attend &attend) const;
  Result<void> turnIntoCache(const Tensor &qkv, const Tensor &positions, const Tensor &slots, const Tensor &k,
                             const Tensor &v, const nereid::LaunchOptions &options) const;
  Tensor queriesOf(const Tensor &qkv) const;

  Config shape;
  const Place *where;
  Tensor embedding, norm;
  Tensor cosines, sines; // fp32 [longest, dim / 2]
  std::vector<Layer> layers;
  Linear head;
  Workspace work;
  Parcel parcel;
};

// cos and sin of all positions, fp32 [longest, dim / 2] each.
Result<std::pair<Tensor, Tensor>> ropeTables(const Config &config, const Place &place);

} // namespace llama
