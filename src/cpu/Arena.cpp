#include "cpu/Arena.h"

#include <algorithm>

namespace nereid::cpu {

uint64_t Arena::allocate(uint64_t bytes) {
  bytes = std::max<uint64_t>((bytes + 63) / 64 * 64, 64);
  // The smallest piece that is large enough; then what is at the end grows.
  auto best = free.end();
  for (auto it = free.begin(); it != free.end(); ++it)
    if (it->second >= bytes && (best == free.end() || it->second < best->second))
      best = it;
  uint64_t offset = end, rest = 0;
  if (best != free.end()) {
    offset = best->first, rest = best->second - bytes;
    free.erase(best);
    if (rest)
      free[offset + bytes] = rest;
  } else {
    end += bytes;
  }
  used[offset] = bytes;
  return offset;
}

void Arena::release(uint64_t offset) {
  auto it = used.find(offset);
  if (it == used.end())
    return;
  uint64_t bytes = it->second;
  used.erase(it);
  auto next = free.lower_bound(offset);
  if (next != free.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = free.erase(next);
  }
  if (next != free.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  }
  free[offset] = bytes;
}

} // namespace nereid::cpu
