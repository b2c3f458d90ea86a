// Disassemble.h: PTX to machine code as text, where the machine has NVIDIA's programs for it.
#pragma once

#include "nereid/result.hpp"

#include <string>

namespace nereid::view {

struct MachineCode {
  std::string text;    // as `nvdisasm -g` prints it; empty where
  std::string missing; // says so
  unsigned registers = 0, localBytes = 0;
};

// Fails where there is no assembler.
Result<MachineCode> disassemble(const std::string &kernel, const std::string &ptx, const std::string &target);

} // namespace nereid::view
