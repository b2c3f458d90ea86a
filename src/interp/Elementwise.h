// Elementwise.h: instructions that run a kernel on whole tiles.
#pragma once

#include "interp/Machine.h"
#include "interp/NarrowFloat.h"

namespace nereid::interp {

// An instruction with narrow floats among its operands or as its result: they pass through f32, a chunk at a time.
struct NarrowPayload : Payload {
  // Null where the operand is not narrow.
  std::array<Unpack, 3> unpack{};
  std::array<uint8_t, 3> operandBytes{};
  Pack pack = nullptr;
  uint8_t resultBytes = 0;
};

void runKernel(Machine &machine, const Instruction &instruction);
void runNarrowKernel(Machine &machine, const Instruction &instruction);
// Integer division: an error when a scalar is divided by zero. Lanes of a tile get the value that IntegerKernels.cpp
// defines, for they may be masked out later.
template <typename T> void runDivision(Machine &machine, const Instruction &instruction);
Handler divisionHandler(Element element);

// result = operand 0, a scalar, in every element; by size in bytes.
Handler splatHandler(size_t bytes);
// result = operand 1 or 2 as a whole, as the scalar operand 0 says.
Handler wholeSelectHandler(size_t bytes);
void runProgramId(Machine &machine, const Instruction &instruction);
void runNumPrograms(Machine &machine, const Instruction &instruction);
// result = operand 0 + operand 1 (integers of the given width, signed) * the size of the pointee.
Handler addPtrHandler(Element offset);
void runNothing(Machine &machine, const Instruction &instruction);

struct NumberPayload : Payload {
  int64_t value = 0;
};

} // namespace nereid::interp
