// Marks.h: what the checker remembers about each element of a value: a byte of marks, and for pointers the tensor they
// point into.
//
// The shadow of a slot lies at the slot's offset in the shadow frame: `count` bytes of marks, then, for elements of 8
// bytes and descriptors, `count` numbers of 16 bits: the tensor of a pointer, or 0 where it is not known.
#pragma once

#include "interp/Machine.h"

#include <cstring>

namespace nereid::interp {

using Mark = uint8_t;
// The value depends on a lane that nobody wrote.
inline constexpr Mark kUndefined = 1;
// The value is a sum or product of less than 64 bits that does not fit, taken as signed, or as unsigned.
inline constexpr Mark kWrapsSigned = 2, kWrapsUnsigned = 4;
inline constexpr Mark kFlags = 7;
// The other bits number the instruction where the first mark came from (Checker::origins).
inline constexpr unsigned kOriginShift = 3, kMaxOrigins = 31;

// The marks of a value made from two: all flags, and the first origin.
inline Mark join(Mark a, Mark b) { return Mark(((a | b) & kFlags) | ((a >> kOriginShift ? a : b) & ~kFlags)); }
inline Mark keep(Mark mark, Mark flags) { return mark & flags ? Mark(mark & (flags | ~kFlags)) : Mark(0); }

inline Mark *marksOf(Machine &machine, uint32_t offset) { return reinterpret_cast<Mark *>(machine.shadow + offset); }

// The mark of lane i of an operand; a scalar stands for all lanes.
inline Mark markOf(Machine &machine, const Slot &slot, size_t i) {
  return marksOf(machine, slot.offset)[slot.count == 1 ? 0 : i];
}

inline bool hasTensors(const Slot &slot) { return byteSize(slot.element) >= 8; }
inline uint16_t tensorOf(Machine &machine, const Slot &slot, size_t i) {
  uint16_t tensor;
  std::memcpy(&tensor, machine.shadow + slot.offset + slot.count + 2 * (slot.count == 1 ? 0 : i), sizeof(tensor));
  return tensor;
}
inline void setTensor(Machine &machine, const Slot &slot, size_t i, uint16_t tensor) {
  std::memcpy(machine.shadow + slot.offset + slot.count + 2 * i, &tensor, sizeof(tensor));
}

// A value that depends on nothing doubtful.
inline void clearMarks(Machine &machine, const Slot &slot, size_t count) {
  std::memset(machine.shadow + slot.offset, 0, count);
  if (hasTensors(slot))
    std::memset(machine.shadow + slot.offset + slot.count, 0, 2 * size_t(slot.count));
}

} // namespace nereid::interp
