// Atomic.h: read-modify-write of memory that other programs use too.
#pragma once

#include "interp/Memory.h"

namespace nereid::interp {

enum class Rmw : uint8_t { And, Or, Xor, Add, FAdd, Max, Min, UMax, UMin, FMax, FMin, Xchg };

// Changes the element at `address` and gives its bits from before. Every order is sequentially consistent, which all
// the weaker ones allow.
uint64_t changeAtomically(Rmw kind, Element element, uint64_t address, uint64_t value);

// Operand 0 pointers, operand 1 values, operand 2 mask, where present.
struct RmwPayload : Payload {
  Rmw kind = Rmw::Add;
  Element element = Element::I32;
  bool hasMask = false;
  // For the checker: whether it orders what other programs see.
  bool acquires = false, releases = false;
};
void runAtomicRmw(Machine &machine, const Instruction &instruction);

// Operand 0 pointers, operand 1 expected, operand 2 value.
struct CasPayload : Payload {
  Element element = Element::I32;
  bool acquires = false, releases = false;
};
void runAtomicCas(Machine &machine, const Instruction &instruction);

// Operand 0 pointer, operand 1 expected, operand 2 the time to wait in ns.
struct PollPayload : Payload {
  Element element = Element::I32;
  bool hasTimeout = false;
  bool acquires = false, releases = false;
};
void runAtomicPoll(Machine &machine, const Instruction &instruction);

struct DescriptorReducePayload : BlockPayload {
  Rmw kind = Rmw::Add;
};
void runDescriptorReduce(Machine &machine, const Instruction &instruction);

} // namespace nereid::interp
