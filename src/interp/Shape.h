// Shape.h: ops that move elements without computing on them.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

// result[toOffset + i · to] = operand 0[fromOffset + i · from] for every index vector i below `extents`. One form for
// broadcast, transpose, flip, join, split and cat; strides and offsets count elements.
struct MovePayload : Payload {
  std::vector<int64_t> extents, from, to;
  int64_t fromOffset = 0, toOffset = 0;
};
Handler moveHandler(size_t bytes);
// The same on marks, which take a byte each.
void moveBytes(std::byte *to, const std::byte *from, const MovePayload &payload);
void moveWords(uint16_t *to, const uint16_t *from, const MovePayload &payload);

// Drop extents of 1 and merge dimensions that follow each other in both source and result, so that inner loops are
// long.
void simplifyMove(MovePayload &payload);

// result[.., i, ..] = operand 0[.., operand 1[.., i, ..], ..] along the axis; an index outside gives zero.
struct GatherPayload : Payload {
  // The source's other extents may be larger than the index's.
  std::vector<int64_t> sourceShape, indexShape;
  unsigned axis = 0;
  bool isWideIndex = false;
};
Handler gatherHandler(size_t bytes);
// The element of the source that element `i` of the index stands for, or -1 when the index is outside.
int64_t gatherSource(const GatherPayload &payload, int64_t i, int64_t index);

} // namespace nereid::interp
