// Shape.cpp: strided moves and gathers inside the frame.
#include "interp/Shape.h"

#include <algorithm>
#include <cstring>

namespace nereid::interp {

template <typename T> static void moveRow(T *to, int64_t toStride, const T *from, int64_t fromStride, int64_t count) {
  if (toStride == 1 && fromStride == 1)
    std::memcpy(to, from, size_t(count) * sizeof(T));
  else if (toStride == 1 && fromStride == 0)
    std::fill_n(to, count, *from);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i * toStride] = from[i * fromStride];
}

template <typename T> static void moveFrom(T *to, const T *from, const MovePayload &payload, size_t dimension) {
  int64_t extent = payload.extents[dimension], toStride = payload.to[dimension], fromStride = payload.from[dimension];
  if (dimension + 1 == payload.extents.size())
    return moveRow(to, toStride, from, fromStride, extent);
  for (int64_t i = 0; i < extent; ++i)
    moveFrom(to + i * toStride, from + i * fromStride, payload, dimension + 1);
}

template <typename T> static void runMove(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const MovePayload &>(*instruction.payload);
  moveFrom(machine.at<T>(instruction.result) + payload.toOffset,
           machine.at<const T>(instruction.operands[0]) + payload.fromOffset, payload, 0);
}

Handler moveHandler(size_t bytes) {
  return bytes == 1   ? runMove<uint8_t>
         : bytes == 2 ? runMove<uint16_t>
         : bytes == 4 ? runMove<uint32_t>
                      : runMove<uint64_t>;
}

void moveBytes(std::byte *to, const std::byte *from, const MovePayload &payload) {
  moveFrom(to + payload.toOffset, from + payload.fromOffset, payload, 0);
}

void moveWords(uint16_t *to, const uint16_t *from, const MovePayload &payload) {
  moveFrom(to + payload.toOffset, from + payload.fromOffset, payload, 0);
}

void simplifyMove(MovePayload &payload) {
  std::vector<int64_t> extents, from, to;
  for (size_t d = 0; d < payload.extents.size(); ++d) {
    if (payload.extents[d] == 1)
      continue;
    int64_t extent = payload.extents[d];
    bool merges = !extents.empty() && from.back() == payload.from[d] * extent && to.back() == payload.to[d] * extent;
    if (merges) {
      extents.back() *= extent;
      from.back() = payload.from[d];
      to.back() = payload.to[d];
    } else {
      extents.push_back(extent);
      from.push_back(payload.from[d]);
      to.push_back(payload.to[d]);
    }
  }
  if (extents.empty())
    extents = from = to = {1};
  payload.extents = std::move(extents);
  payload.from = std::move(from);
  payload.to = std::move(to);
}

int64_t gatherSource(const GatherPayload &payload, int64_t i, int64_t index) {
  if (index < 0 || index >= payload.sourceShape[payload.axis])
    return -1;
  int64_t offset = 0, stride = 1;
  for (size_t d = payload.indexShape.size(); d-- > 0;) {
    offset += (d == payload.axis ? index : i % payload.indexShape[d]) * stride;
    i /= payload.indexShape[d];
    stride *= payload.sourceShape[d];
  }
  return offset;
}

template <typename T> static void runGather(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const GatherPayload &>(*instruction.payload);
  auto *to = machine.at<T>(instruction.result);
  auto *from = machine.at<const T>(instruction.operands[0]);
  for (int64_t i = 0; i < int64_t(instruction.count); ++i) {
    int64_t index = payload.isWideIndex ? machine.at<int64_t>(instruction.operands[1])[i]
                                        : machine.at<int32_t>(instruction.operands[1])[i];
    // A lane with an index outside may be masked out later: it gives zero here, and the checker marks it.
    int64_t source = gatherSource(payload, i, index);
    to[i] = source < 0 ? T(0) : from[source];
  }
}

Handler gatherHandler(size_t bytes) {
  return bytes == 1   ? runGather<uint8_t>
         : bytes == 2 ? runGather<uint16_t>
         : bytes == 4 ? runGather<uint32_t>
                      : runGather<uint64_t>;
}

} // namespace nereid::interp
