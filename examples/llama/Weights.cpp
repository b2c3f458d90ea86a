// Weights.cpp: making, reading and writing of a model's parameters.
#include "Weights.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>

namespace llama {

namespace {

// A normal number of a counter: the same on every machine.
double normal(uint64_t seed, uint64_t counter) {
  auto uniform = [&](uint64_t which) {
    uint64_t x = seed * 0x9E3779B97F4A7C15u + counter * 2 + which;
    for (uint64_t factor : {0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu})
      x = (x ^ x >> 30) * factor;
    return (static_cast<double>((x ^ x >> 31) >> 11) + 0.5) / 9007199254740992.0;
  };
  return std::sqrt(-2 * std::log(uniform(0))) * std::cos(6.283185307179586 * uniform(1));
}

void setElement(const Tensor &tensor, int64_t i, float value) {
  if (tensor.dtype() == DType::Fp32) {
    std::memcpy(tensor.data() + i * 4, &value, 4);
    return;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  auto half = static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16); // bf16, to the nearest even
  std::memcpy(tensor.data() + i * 2, &half, 2);
}

Result<Tensor> randomMatrix(DType dtype, Shape shape, double deviation, uint64_t seed) {
  Result<Tensor> result = Tensor::zeros(dtype, std::move(shape));
  for (int64_t i = 0; result && i < result->count(); ++i)
    setElement(*result, i, static_cast<float>(deviation * normal(seed, static_cast<uint64_t>(i))));
  return result;
}

Result<Tensor> ones(DType dtype, int64_t count) {
  Result<Tensor> result = Tensor::zeros(dtype, {count});
  for (int64_t i = 0; result && i < count; ++i)
    setElement(*result, i, 1);
  return result;
}

// Rows first … first + count - 1 of a contiguous matrix.
Tensor rowsOf(const Tensor &matrix, int64_t first, int64_t count) {
  Shape strides = matrix.strides();
  Tensor all = matrix;
  return Tensor::share(std::shared_ptr<void>(std::make_shared<Tensor>(all)),
                       matrix.data() + first * strides[0] * static_cast<int64_t>(nereid::bytesOf(matrix.dtype())),
                       matrix.dtype(), {count, matrix.shape()[1]}, strides);
}

// What goes from a file to a GPU: several threads copy, since one alone waits for the memory of the file.
class Freight {
public:
  explicit Freight(const Place &place) : place(place) {}

  void add(std::byte *to, const std::byte *from, size_t bytes) {
    constexpr size_t kPiece = size_t(32) << 20;
    for (size_t at = 0; at < bytes; at += kPiece)
      pieces.push_back({to + at, from + at, std::min(kPiece, bytes - at)});
  }
  // The memory is there when the place's stream has come here.
  Result<void> send() {
    if (Result<void> ready = place.wait(); !ready)
      return ready;
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    Steps steps;
    auto work = [&] {
      Result<nereid::DeviceStream> stream = nereid::DeviceStream::create(place.options().device);
      Result<void> done = stream ? Result<void>() : stream.error();
      for (size_t i = next++; done && i < pieces.size(); i = next++) {
        nereid_status status = nereid_memory_copy(place.options().device.name.c_str(), pieces[i].to, pieces[i].from,
                                                  pieces[i].bytes, stream->handle(), 0);
        if (status != NEREID_OK)
          done = nereid::detail::lastError(status);
      }
      std::lock_guard lock(mutex);
      steps([&] { return done; });
    };
    std::vector<std::thread> threads;
    for (size_t i = 0; i < std::min<size_t>({8, pieces.size(), std::max(1u, std::thread::hardware_concurrency())}); ++i)
      threads.emplace_back(work);
    for (std::thread &thread : threads)
      thread.join();
    return steps.result();
  }

private:
  struct Piece {
    std::byte *to;
    const std::byte *from;
    size_t bytes;
  };
  const Place &place;
  std::vector<Piece> pieces;
};

// The tensors of a file by name and shape; on a GPU when `freight` has been sent.
class Parts {
public:
  Parts(const std::string &path, const Safetensors &file, const Place *place, Freight *freight)
      : path(path), file(file), place(place), freight(freight) {}

  Result<Tensor> here(const std::string &name, const Shape &shape) const {
    Result<Tensor> found = one(name, shape);
    return found && freight ? gathered({*found}, shape) : found;
  }

  Result<Tensor> one(const std::string &name, const Shape &shape) const {
    auto found = file.tensors.find(name);
    used.insert(name);
    if (found == file.tensors.end())
      return Error{Status::BadInput, "error: `" + path + "` has no tensor `" + name + "`\n"};
    bool isKnown = found->second.dtype() == DType::Fp32 || found->second.dtype() == DType::Bf16 ||
                   found->second.dtype() == DType::Fp16;
    if (found->second.shape() != shape || !isKnown)
      return Error{Status::BadInput,
                   "error: `" + path + "`: `" + name + "` has another shape or type than the model's config says\n"};
    return found->second;
  }
  // Several matrices of one width, one below the other.
  Result<Tensor> below(const std::vector<std::pair<std::string, int64_t>> &parts, int64_t width) const {
    std::vector<Tensor> found;
    int64_t rows = 0;
    for (auto &[name, count] : parts) {
      Result<Tensor> part = one(name, {count, width});
      if (!part)
        return part;
      found.push_back(*part);
      rows += count;
      if (found.back().dtype() != found[0].dtype())
        return Error{Status::BadInput, "error: `" + path + "`: matrices of one layer have different types\n"};
    }
    return gathered(found, {rows, width});
  }

  // A model that has more than was asked for (biases, norms of heads, layers) would be another one without it.
  Result<void> requireAllUsed() const {
    for (auto &[name, tensor] : file.tensors)
      if (!used.contains(name) && !name.ends_with(".rotary_emb.inv_freq")) // which follows from the config
        return Error{Status::BadInput,
                     "error: `" + path + "`: the model has a tensor `" + name + "`, which is not known here\n"};
    return {};
  }

private:
  // One tensor of the bytes of several.
  Result<Tensor> gathered(const std::vector<Tensor> &parts, const Shape &shape) const {
    Result<Tensor> result = freight ? place->empty(parts[0].dtype(), shape) : Tensor::empty(parts[0].dtype(), shape);
    std::byte *to = result ? result->data() : nullptr;
    for (size_t i = 0; result && i < parts.size(); to += parts[i++].spanBytes()) {
      if (freight)
        freight->add(to, parts[i].data(), parts[i].spanBytes());
      else
        std::memcpy(to, parts[i].data(), parts[i].spanBytes());
    }
    return result;
  }

  const std::string &path;
  const Safetensors &file;
  const Place *place;
  Freight *freight; // null: the tensors stay on the host
  mutable std::set<std::string> used;
};

struct Named {
  std::string name;
  int64_t first, rows;
};
// Where the matrices of a file lie in those of a layer.
std::vector<Named> qkvParts(const Config &c, const std::string &layer) {
  return {{layer + "self_attn.q_proj.weight", 0, c.heads * c.dim()},
          {layer + "self_attn.k_proj.weight", c.heads * c.dim(), c.headsK * c.dim()},
          {layer + "self_attn.v_proj.weight", (c.heads + c.headsK) * c.dim(), c.headsK * c.dim()}};
}
std::vector<Named> gateUpParts(const Config &c, const std::string &layer) {
  return {{layer + "mlp.gate_proj.weight", 0, c.hidden}, {layer + "mlp.up_proj.weight", c.hidden, c.hidden}};
}
std::string layerName(size_t i) { return "model.layers." + std::to_string(i) + "."; }

} // namespace

std::vector<std::pair<std::string, Tensor>> Weights::all() const {
  std::vector<std::pair<std::string, Tensor>> result{{"embedding", embedding}};
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer &layer = layers[i];
    for (auto &[name, tensor] : {std::pair{"attention norm", &layer.attentionNorm},
                                 {"qkv", &layer.qkv},
                                 {"out", &layer.out},
                                 {"mlp norm", &layer.mlpNorm},
                                 {"gate and up", &layer.gateUp},
                                 {"down", &layer.down}})
      result.emplace_back(std::string(name) + " of layer " + std::to_string(i), *tensor);
  }
  result.emplace_back("norm", norm);
  result.emplace_back("head", head);
  return result;
}

Result<Weights> randomWeights(const Config &config, DType dtype, uint64_t seed) {
  Steps steps;
  uint64_t stream = seed * 1000;
  auto matrix = [&](int64_t rows, int64_t columns) {
    double deviation = 1 / std::sqrt(static_cast<double>(columns));
    return steps.value([&] { return randomMatrix(dtype, {rows, columns}, deviation, ++stream); })
        .value_or(Tensor::borrow(nullptr, dtype, {0}));
  };
  auto gains = [&] {
    return steps.value([&] { return ones(dtype, config.width); }).value_or(Tensor::borrow(nullptr, dtype, {0}));
  };
  Tensor embedding = matrix(config.vocabulary, config.width);
  Weights weights{config, embedding, {}, gains(), matrix(config.vocabulary, config.width)};
  for (int64_t i = 0; i < config.layers; ++i) {
    Tensor first = gains(), qkv = matrix(config.qkvWidth(), config.width), out = matrix(config.width, config.width);
    Tensor second = gains(), gateUp = matrix(2 * config.hidden, config.width),
           down = matrix(config.width, config.hidden);
    weights.layers.push_back({first, qkv, out, second, gateUp, down});
  }
  return steps.failed() ? Result<Weights>(steps.error()) : weights;
}

Result<Weights> readWeights(const std::string &path, const Place *place) {
  Result<Safetensors> file = readSafetensors(path);
  if (!file)
    return file.error();
  Result<Config> config = readConfig(path, file->metadata);
  if (!config)
    return config.error();
  std::optional<Freight> freight;
  if (place && place->isGpu())
    freight.emplace(*place);
  Parts parts(path, *file, place, freight ? &*freight : nullptr);
  Steps steps;
  Tensor none = Tensor::borrow(nullptr, DType::Fp32, {0});
  auto one = [&](const std::string &name, const Shape &shape) {
    return steps.value([&] { return parts.here(name, shape); }).value_or(none);
  };
  auto below = [&](const std::vector<Named> &named) {
    std::vector<std::pair<std::string, int64_t>> list;
    for (const Named &each : named)
      list.emplace_back(each.name, each.rows);
    return steps.value([&] { return parts.below(list, config->width); }).value_or(none);
  };
  Tensor embedding = one("model.embed_tokens.weight", {config->vocabulary, config->width});
  // A file without a head uses the embedding for it.
  Tensor head =
      file->tensors.contains("lm_head.weight") ? one("lm_head.weight", {config->vocabulary, config->width}) : embedding;
  Weights weights{*config, embedding, {}, one("model.norm.weight", {config->width}), head};
  for (size_t i = 0; i < static_cast<size_t>(config->layers) && !steps.failed(); ++i) {
    std::string name = layerName(i);
    weights.layers.push_back({one(name + "input_layernorm.weight", {config->width}), below(qkvParts(*config, name)),
                              one(name + "self_attn.o_proj.weight", {config->width, config->width}),
                              one(name + "post_attention_layernorm.weight", {config->width}),
                              below(gateUpParts(*config, name)),
                              one(name + "mlp.down_proj.weight", {config->width, config->hidden})});
  }
  steps([&] { return parts.requireAllUsed(); });
  if (freight)
    steps([&] { return freight->send(); });
  return steps.failed() ? Result<Weights>(steps.error()) : weights;
}

Result<void> writeWeights(const std::string &path, const Weights &weights) {
  Safetensors file;
  file.metadata["config"] = configText(weights.config);
  file.metadata["format"] = "pt";
  auto add = [&](const std::string &name, const Tensor &tensor) { file.tensors.insert_or_assign(name, tensor); };
  add("model.embed_tokens.weight", weights.embedding);
  add("model.norm.weight", weights.norm);
  add("lm_head.weight", weights.head);
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    const Layer &layer = weights.layers[i];
    std::string name = layerName(i);
    add(name + "input_layernorm.weight", layer.attentionNorm);
    add(name + "post_attention_layernorm.weight", layer.mlpNorm);
    add(name + "self_attn.o_proj.weight", layer.out);
    add(name + "mlp.down_proj.weight", layer.down);
    for (const Named &part : qkvParts(weights.config, name))
      add(part.name, rowsOf(layer.qkv, part.first, part.rows));
    for (const Named &part : gateUpParts(weights.config, name))
      add(part.name, rowsOf(layer.gateUp, part.first, part.rows));
  }
  return writeSafetensors(path, file);
}

Result<Weights> bring(const Weights &weights, const Place &place) {
  Steps steps;
  auto here = [&](const Tensor &tensor) { return steps.value([&] { return place.bring(tensor); }).value_or(tensor); };
  Weights result{weights.config, here(weights.embedding), {}, here(weights.norm), here(weights.head)};
  for (const Layer &layer : weights.layers)
    result.layers.push_back({here(layer.attentionNorm), here(layer.qkv), here(layer.out), here(layer.mlpNorm),
                             here(layer.gateUp), here(layer.down)});
  return steps.failed() ? Result<Weights>(steps.error()) : result;
}

} // namespace llama
