#include "interp/ptx/WalkMemory.h"

#include <algorithm>
#include <cstring>

namespace nereid::interp::ptx {

// Beyond this many addresses, values are those of now.
static constexpr size_t kMostKept = size_t(1) << 20;

std::optional<uint64_t> WalkMemory::read(uint64_t program, uint64_t address, unsigned bytes) {
  if (!learned.empty())
    if (auto found = learned.find({program, address}); found != learned.end())
      return found->second;
  auto kept = before.find(address);
  if (kept != before.end() && kept->second.bytes == bytes)
    return kept->second.bits;
  bool isThere = std::ranges::any_of(parts, [&](const auto &part) {
    return address >= part.first && address < part.second && bytes <= part.second - address;
  });
  if (!isThere)
    return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void *>(address), bytes);
  if (kept == before.end() && before.size() < kMostKept)
    before[address] = {value, bytes};
  return value;
}

bool WalkMemory::learn(uint64_t program, uint64_t address, uint64_t value) {
  if (!before.contains(address))
    return false;
  learned[{program, address}] = value;
  return true;
}

} // namespace nereid::interp::ptx
