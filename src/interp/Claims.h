// Claims.h: what the analysis says of values (transforms/StateClaims.h), compared with those that appear.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

// Of operand 0. Lengths have a number for each axis of the shape, or none where nothing is said.
struct ClaimsPayload : Payload {
  std::string op; // what made the value; empty: it is an argument of the kernel or of a loop
  std::vector<int64_t> shape, contiguity, divisibility, constancy, falling;
  std::optional<int64_t> constant;
  bool isNonNegative = false;
  unsigned bits = 32;   // of an element
  int64_t stepUnit = 1; // from one element of a run to the next: the bytes behind a pointer
};
void runClaims(Machine &machine, const Instruction &instruction);

} // namespace nereid::interp
