// InlineAsm.h: inline assembly on groups of elements.
#pragma once

#include "interp/Machine.h"
#include "interp/ptx/Ptx.h"

namespace nereid::interp {

// `pack` elements of each tile go through the registers at once. Elements narrower than 32 bits share registers, the
// first one in the lowest bits.
struct InlineAsmPayload : Payload {
  struct Part {
    Slot tile;
    uint32_t firstRegister;
  };
  std::vector<Part> results, operands;
  // (input, result): registers that are one and the same.
  std::vector<std::pair<uint32_t, uint32_t>> ties;
  uint32_t pack = 1, parameters = 0;
  ptx::Code code;
};
void runInlineAsm(Machine &machine, const Instruction &instruction);

} // namespace nereid::interp
