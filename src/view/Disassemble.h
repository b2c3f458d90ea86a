// Disassemble.h: PTX to machine code as text, where the machine has NVIDIA's programs for it.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/AssembledLines.h"

#include <string>

namespace nereid::view {

struct MachineCode {
  std::string text;    // as `nvdisasm -g` prints it; empty where
  std::string missing; // says so
  unsigned registers = 0, localBytes = 0;
  std::vector<cuda::Fp32Line> fp32Lines = {};
};

// Fails where there is no assembler.
Result<MachineCode> disassemble(const cuda::AssembleRequest &request);

} // namespace nereid::view
