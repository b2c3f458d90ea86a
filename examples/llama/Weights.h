// Weights.h: the parameters of a Llama-shaped model, and the files that hold them.
#pragma once

#include "Config.h"
#include "Place.h"
#include "Safetensors.h"

namespace llama {

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
