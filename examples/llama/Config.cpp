// Config.cpp: reading and writing of a config.json, with the defaults that Llama's has.
#include "Config.h"

#include "Json.h"

#include <cmath>
#include <fstream>
#include <sstream>

namespace llama {

using nereid::Error;
using nereid::Result;
using nereid::Status;

namespace {

struct Size {
  std::string_view name;
  Config config;
};
const Size kSizes[] = {
    {"tiny", {}},
    {"15m", {.layers = 6, .width = 288, .heads = 6, .headsK = 6, .hidden = 768, .vocabulary = 32000}},
    {"110m", {.layers = 12, .width = 768, .heads = 12, .headsK = 12, .hidden = 2048, .vocabulary = 32000}},
    {"1b",
     {.layers = 16, .width = 2048, .heads = 32, .headsK = 8, .hidden = 8192, .vocabulary = 128256, .theta = 500000}},
};

// What stands for each size in a config.json, and what it is where it is not there: 0 if it must be.
struct Field {
  const char *name;
  int64_t Config::*number;
  int64_t otherwise;
};
constexpr Field kFields[] = {
    {"num_hidden_layers", &Config::layers, 0},
    {"hidden_size", &Config::width, 0},
    {"num_attention_heads", &Config::heads, 0},
    {"num_key_value_heads", &Config::headsK, 0}, // as many as there are heads
    {"intermediate_size", &Config::hidden, 0},
    {"vocab_size", &Config::vocabulary, 0},
    {"max_position_embeddings", &Config::longest, 2048},
};
constexpr int64_t kLargest = 1 << 24;

Error badConfig(const std::string &path, const std::string &what) {
  return {Status::BadInput, "error: `" + path + "`: the model's config " + what + "\n"};
}

// A member that is there; null means the same as none.
const Json *given(const Json &json, std::string_view name) {
  const Json *value = json.find(name);
  return value && !value->as<std::monostate>() ? value : nullptr;
}

Result<void> readSizes(const std::string &path, const Json &json, Config &config) {
  config.headsK = 0;
  for (const Field &field : kFields) {
    const Json *value = given(json, field.name);
    const double *number = value ? value->as<double>() : nullptr;
    bool isOptional = field.otherwise || field.number == &Config::headsK;
    if (!value && !isOptional)
      return badConfig(path, std::string("lacks `") + field.name + "`");
    if (value && (!number || !(*number >= 1) || *number > kLargest || *number != std::floor(*number)))
      return badConfig(path, std::string("has a `") + field.name + "` that is no number from 1 to " +
                                 std::to_string(kLargest));
    config.*field.number = value ? static_cast<int64_t>(*number) : field.otherwise;
  }
  if (config.headsK == 0)
    config.headsK = config.heads;
  if (config.width % config.heads != 0 || config.heads % config.headsK != 0)
    return badConfig(path, "has " + std::to_string(config.heads) + " heads, which do not divide its width of " +
                               std::to_string(config.width) + " or are no multiple of its " +
                               std::to_string(config.headsK) + " heads of keys");
  if (config.dim() < 16 || config.dim() > 256 || config.dim() % 2)
    return badConfig(path, "has heads of " + std::to_string(config.dim()) +
                               " elements, but an even number from 16 to 256 is expected");
  return {};
}

Result<void> readNumbers(const std::string &path, const Json &json, Config &config) {
  config.theta = 10000, config.eps = 1e-6;
  for (auto [name, field] : {std::pair{"rope_theta", &Config::theta}, std::pair{"rms_norm_eps", &Config::eps}})
    if (const Json *value = given(json, name)) {
      const double *number = value->as<double>();
      if (!number || !(*number > 0) || !std::isfinite(*number))
        return badConfig(path, std::string("has a `") + name + "` that is no number above 0");
      config.*field = *number;
    }
  return {};
}

// Models of other kinds have the same files.
Result<void> refuseOthers(const std::string &path, const Json &json, const Config &config) {
  for (const char *name : {"attention_bias", "mlp_bias", "rope_scaling", "sliding_window", "quantization_config"})
    if (const Json *value = given(json, name); value && !(value->as<bool>() && !*value->as<bool>()))
      return badConfig(path, std::string("has `") + name + "`, which is not known here");
  if (const Json *value = given(json, "hidden_act");
      value && (!value->as<std::string>() || *value->as<std::string>() != "silu"))
    return badConfig(path, "has another `hidden_act` than silu");
  if (const Json *value = given(json, "head_dim");
      value && (!value->as<double>() || *value->as<double>() != static_cast<double>(config.dim())))
    return badConfig(path, "has a `head_dim` that is not its width by its heads");
  return {};
}

} // namespace

std::optional<Config> configOf(std::string_view size) {
  for (const Size &each : kSizes)
    if (each.name == size)
      return each.config;
  return std::nullopt;
}

std::string sizeNames() {
  std::string names;
  for (const Size &each : kSizes)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

Result<Config> readConfig(const std::string &path, const std::map<std::string, std::string> &metadata) {
  std::string text;
  if (auto known = metadata.find("config"); known != metadata.end()) {
    text = known->second;
  } else {
    std::ifstream beside(path.substr(0, path.find_last_of('/') + 1) + "config.json");
    std::stringstream all;
    all << beside.rdbuf();
    text = all.str();
  }
  Result<Json> json = parseJson(text);
  if (!json || !json->as<Json::Object>())
    return badConfig(path, "is neither in its metadata nor in a config.json beside it");
  Config config;
  for (auto read : {readSizes, readNumbers})
    if (Result<void> done = read(path, *json, config); !done)
      return done.error();
  if (Result<void> done = refuseOthers(path, *json, config); !done)
    return done.error();
  return config;
}

std::string configText(const Config &config) {
  std::ostringstream text;
  text.precision(17);
  text << "{";
  for (const Field &field : kFields)
    text << "\"" << field.name << "\":" << config.*field.number << ",";
  text << "\"rope_theta\":" << config.theta << ",\"rms_norm_eps\":" << config.eps << "}";
  return text.str();
}

} // namespace llama
