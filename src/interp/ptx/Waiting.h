// Waiting.h: finds out that a warp goes around in circles: it waits for what another program writes, and nothing writes here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace nereid::interp::ptx {

class Waiting {
public:
  // Blocks from the first to the last one of a circle.
  struct Circle {
    uint32_t first, last;
    bool holds(uint32_t block) const { return block >= first && block <= last; }
  };

  Waiting(const std::vector<uint64_t> &values, const std::vector<uint32_t> &unknown)
      : values(values), unknown(unknown) {}

  // A new warp, or one that has left its circle.
  void begin() { iterations = 0; }

  // The warp goes back from one block to another. A state that was there before comes again for ever; the one that it is
  // compared with is replaced at growing distances, so that circles of any length are found (Brent).
  std::optional<Circle> goesBack(uint32_t from, uint32_t to) {
    constexpr uint64_t kUsual = 4; // iterations of a loop that are worth no look
    if (++iterations < kUsual)
      return std::nullopt;
    if (std::has_single_bit(iterations)) {
      seenValues = values;
      seenUnknown = unknown;
      seen = {to, from};
      circle = seen;
      return std::nullopt;
    }
    circle = {std::min(circle.first, to), std::max(circle.last, from)};
    if (from == seen.last && to == seen.first && unknown == seenUnknown && values == seenValues)
      return circle;
    return std::nullopt;
  }

private:
  const std::vector<uint64_t> &values;
  const std::vector<uint32_t> &unknown;
  std::vector<uint64_t> seenValues;
  std::vector<uint32_t> seenUnknown;
  Circle seen{}, circle{};
  uint64_t iterations = 0;
};

} // namespace nereid::interp::ptx
