#include "runtime/cpu/Machine.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace nereid::cpu {

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "";
}

static std::string firstWord(const std::string &path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// "32K", "2048K", "36M"
static uint64_t bytesOf(const std::string &text) {
  char *end = nullptr;
  uint64_t number = std::strtoull(text.c_str(), &end, 10);
  if (number >= uint64_t(1) << 40)
    return 0;
  return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : *end == 'G' ? number << 30 : number;
}

std::vector<DataCache> dataCaches(const std::string &folder) {
  std::vector<DataCache> caches;
  constexpr int kMost = 16;
  for (int i = 0; i < kMost; ++i) {
    std::string place = folder + "/index" + std::to_string(i) + "/", type = firstWord(place + "type");
    DataCache cache{static_cast<unsigned>(std::strtoul(firstWord(place + "level").c_str(), nullptr, 10)),
                    bytesOf(firstWord(place + "size"))};
    if ((type == "Data" || type == "Unified") && cache.level && cache.bytes)
      caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &DataCache::bytes);
  return caches;
}

} // namespace nereid::cpu
