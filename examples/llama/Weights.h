// Weights.h: the parameters of a Llama-shaped model, and the files that hold them.
#pragma once

#include "Place.h"
#include "Safetensors.h"

namespace llama {

struct Config {
  int64_t layers = 2, width = 64, heads = 4, headsK = 2, hidden = 192, vocabulary = 256, longest = 2048;
  double theta = 10000, eps = 1e-5;

  int64_t dim() const { return width / heads; }
  int64_t qkvWidth() const { return (heads + 2 * headsK) * dim(); }
};

// tiny, 15m, 110m, 1b; nothing for another name.
std::optional<Config> configOf(std::string_view size);
std::string sizeNames();

// Matrices are [out, in], as files have them; those that are used together lie one below the other.
struct Layer {
  Tensor attentionNorm, qkv, out, mlpNorm, gateUp, down;
};
struct Weights {
  Config config;
  Tensor embedding;
  std::vector<Layer> layers;
  Tensor norm, head;

  // Everything that is trained, with the name of each.
  std::vector<std::pair<std::string, Tensor>> all() const;
  template <class F> void forEach(F &&change) {
    for (Tensor *tensor : {&embedding, &norm, &head})
      change(*tensor);
    for (Layer &layer : layers)
      for (Tensor *tensor : {&layer.attentionNorm, &layer.qkv, &layer.out, &layer.mlpNorm, &layer.gateUp, &layer.down})
        change(*tensor);
  }
};

// Random matrices on the host, the same for the same seed on every machine.
Result<Weights> randomWeights(const Config &config, DType dtype, uint64_t seed);
// The names that checkpoints of Llama models have; the config stands in the file's metadata, or in a config.json beside it.
// With `place`, the weights go straight there; else they are on the host.
Result<Weights> readWeights(const std::string &path, const Place *place = nullptr);
Result<void> writeWeights(const std::string &path, const Weights &weights);
// The same on another place, which may be the host.
Result<Weights> bring(const Weights &weights, const Place &place);

} // namespace llama
