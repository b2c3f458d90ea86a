#include "runtime/cpu/Sort.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace nereid::cpu {

// A number whose unsigned order is the order of the elements.
static uint64_t sortKey(uint64_t bits, int32_t bytes, int32_t kind) {
  uint64_t sign = uint64_t(1) << (8 * bytes - 1), all = sign | (sign - 1), magnitude = bits & ~sign;
  if (kind <= 1)
    return kind == 0 ? bits : bits ^ sign;
  bool isNaN = kind == 3   ? magnitude == sign - 1
               : kind == 4 ? bits == sign
                           : magnitude > ((sign - 1) >> (kind - 16)) << (kind - 16);
  if (isNaN)
    return all;
  return bits & sign ? ~bits & all : bits | sign;
}

void sortRows(void *to, const void *from, int64_t rows, int64_t extent, int64_t count, int32_t bytes, int32_t kind,
              int32_t isDescending) {
  std::vector<std::pair<uint64_t, uint64_t>> keyed(extent);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < extent; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, static_cast<const std::byte *>(from) + (row * extent + i) * bytes, bytes);
      uint64_t key = sortKey(bits, bytes, kind);
      keyed[i] = {isDescending ? ~key : key, bits};
    }
    std::sort(keyed.begin(), keyed.end());
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(static_cast<std::byte *>(to) + (row * count + i) * bytes, &keyed[i].second, bytes);
  }
}

} // namespace nereid::cpu
