// Debug.h: output, assertions and registers of the machine.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

// Prints the values of Fact::operands, a line for each element.
struct PrintPayload : Payload {
  std::string prefix;
  bool isHex = false;
  std::vector<bool> isSigned;
  std::vector<std::vector<int64_t>> shapes;
};
void runPrint(Machine &machine, const Instruction &instruction);

// Operand 0 the condition, operand 1 the mask, where present.
struct AssertPayload : Payload {
  std::string message;
  bool hasMask = false;
  std::vector<int64_t> shape;
};
void runAssert(Machine &machine, const Instruction &instruction);
// "assertion failed: `message` at element (3)"
std::string describeAssert(const AssertPayload &payload, size_t element);

void runClock(Machine &machine, const Instruction &instruction);
void runProcessorId(Machine &machine, const Instruction &instruction);

} // namespace nereid::interp
