// Config.h: the sizes of a Llama-shaped model, as a config.json has them.
#pragma once

#include <nereid/result.hpp>

#include <map>
#include <optional>
#include <string_view>

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

// What stands under "config" in the metadata of the file at `path`, or in a config.json beside it. A size that is not there, or is no size, and
// what would make another model of it are errors.
nereid::Result<Config> readConfig(const std::string &path, const std::map<std::string, std::string> &metadata);
std::string configText(const Config &config);

} // namespace llama
