// Control.h: loops and branches.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

struct Copy {
  uint32_t from, to, bytes;
};

// Values that move together at the edge of a region; in order, so that temporaries come first.
struct CopyPayload : Payload {
  std::vector<Copy> copies;
};
void runCopies(Machine &machine, const Instruction &instruction);

// for (induction = operand 0; induction < operand 1; induction += operand 2) body; the body ends with its copies.
struct ForPayload : Payload {
  Block *body = nullptr;
  uint32_t induction = 0;
  bool isWide = false, isUnsigned = false;
};
void runFor(Machine &machine, const Instruction &instruction);

struct IfPayload : Payload {
  Block *then = nullptr, *otherwise = nullptr;
};
void runIf(Machine &machine, const Instruction &instruction);

// before; while (condition) { after; before }. `before` ends by setting the condition and the arguments of `after`,
// which are the results as well.
struct WhilePayload : Payload {
  Block *before = nullptr, *after = nullptr;
  uint32_t condition = 0;
  // The loop reads memory that others can change: waiting there is giving way to other programs.
  bool canSpin = false;
};
void runWhile(Machine &machine, const Instruction &instruction);

} // namespace nereid::interp
