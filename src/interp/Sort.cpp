// Sort.cpp: sorting rows, and counting how often values occur.
#include "interp/Reduce.h"

#include "interp/NarrowFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace nereid::interp {

// A number whose unsigned order is the order of the elements.
static uint64_t sortKey(uint64_t bits, const SortPayload &payload) {
  size_t width = payload.element == Element::I1 ? 1 : 8 * byteSize(payload.element);
  uint64_t sign = uint64_t(1) << (width - 1), all = sign | (sign - 1);
  if (!isFloat(payload.element))
    return payload.isUnsigned || width == 1 ? bits : bits ^ sign;
  double value = 0;
  if (Unpack unpack = unpackOf(payload.element)) {
    float single;
    unpack(&single, &bits, 1);
    value = single;
  } else {
    value = payload.element == Element::F32 ? std::bit_cast<float>(uint32_t(bits)) : std::bit_cast<double>(bits);
  }
  if (std::isnan(value))
    return all;
  return bits & sign ? ~bits & all : bits | sign;
}

void runSort(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const SortPayload &>(*instruction.payload);
  size_t bytes = byteSize(payload.element);
  const std::byte *from = machine.frame + instruction.operands[0];
  std::byte *to = machine.frame + instruction.result;
  std::vector<std::pair<uint64_t, uint64_t>> keyed(payload.extent);
  for (uint32_t row = 0; row < payload.rows; ++row) {
    for (uint32_t i = 0; i < payload.extent; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, from + (size_t(row) * payload.extent + i) * bytes, bytes);
      uint64_t key = sortKey(bits, payload);
      keyed[i] = {payload.isDescending ? ~key : key, bits};
    }
    std::sort(keyed.begin(), keyed.end());
    for (uint32_t i = 0; i < payload.count; ++i)
      std::memcpy(to + (size_t(row) * payload.count + i) * bytes, &keyed[i].second, bytes);
  }
}

void runHistogram(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const HistogramPayload &>(*instruction.payload);
  const bool *mask = payload.hasMask ? machine.at<bool>(instruction.operands[1]) : nullptr;
  const std::byte *from = machine.frame + payload.source.offset;
  size_t bytes = byteSize(payload.source.element), binBytes = byteSize(payload.bins.element);
  std::vector<uint64_t> counts(payload.bins.count);
  for (uint32_t i = 0; i < payload.source.count; ++i) {
    uint64_t bin = 0;
    std::memcpy(&bin, from + i * bytes, bytes);
    if (bin < counts.size() && (!mask || mask[i]))
      ++counts[bin];
  }
  for (uint32_t i = 0; i < payload.bins.count; ++i)
    std::memcpy(machine.frame + payload.bins.offset + i * binBytes, &counts[i], binBytes);
}

} // namespace nereid::interp
