// Reduce.h: reductions, scans and maps: a region of scalars applied along an axis, or to every element.
//
// The region runs on many lanes at once where it is made of elementwise ops: its values have slots for all lanes. Each
// source is first laid out as [extent][lanes], the axis outermost, so that one step of the combination is one run of
// the region.
#pragma once

#include "interp/Shape.h"

namespace nereid::interp {

// Combine values[0 … count-1] from left to right.
using Fold = void (*)(void *result, const void *values, size_t count);
// A loop for a combination that is a single op; null where there is none.
Fold findFold(std::string_view kernelName, Element element);

// One tile that takes part: where it is laid out as [extent][lanes], and the arguments of the region.
struct CombineSource {
  Slot laidOut;
  // Brings the source into that layout (null: it is so already); for a scan, brings the result back.
  const MovePayload *layOut = nullptr, *bringBack = nullptr;
  uint32_t source = 0, left = 0, right = 0, result = 0;
  // Where a scan collects its results, laid out in the same way.
  uint32_t scanned = 0;
};

struct CombinePayload : Payload {
  std::vector<CombineSource> sources;
  uint32_t extent = 1, lanes = 1;
  // Takes left and right, ends with a copy of what it yields to left.
  Block *region = nullptr;
  // The region is elementwise, so all lanes run together; otherwise it runs lane by lane.
  bool isLanewise = false;
  // The region does no float arithmetic, so any bracketing gives the same result.
  bool isExact = false;
  // Of 8-bit and 16-bit floats: neighbours are combined, then neighbours of those, instead of one after the other.
  bool isInPairs = false;
  bool isReversed = false;
  // The region is one op on one source.
  Kernel single = nullptr;
  Fold fold = nullptr;
};
void runReduce(Machine &machine, const Instruction &instruction);
void runScan(Machine &machine, const Instruction &instruction);

// A map: argument j of source i gets elements j, j + pack, …; results likewise.
struct MapPayload : Payload {
  struct Operand {
    uint32_t tile, argument, elementBytes, position;
  };
  std::vector<Operand> arguments, yields;
  uint32_t groups = 1, pack = 1;
  Block *region = nullptr;
  bool isLanewise = false;
};
void runMap(Machine &machine, const Instruction &instruction);

// The first `count` of each row of `extent` elements in order; NaN counts as larger than every number.
struct SortPayload : Payload {
  Element element = Element::I32;
  uint32_t rows = 1, extent = 1, count = 1;
  bool isDescending = false, isUnsigned = false;
};
void runSort(Machine &machine, const Instruction &instruction);

// How often each bin occurs in operand 0 (where operand 1 is true); other values are not counted.
struct HistogramPayload : Payload {
  Slot source;
  bool hasMask = false;
  Slot bins;
};
void runHistogram(Machine &machine, const Instruction &instruction);

} // namespace nereid::interp
