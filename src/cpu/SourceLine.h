// SourceLine.h: which line of the kernel an instruction of its code comes from, by the object's line table.
#pragma once

#include "runtime/cpu/Launch.h"

namespace nereid::cpu {

struct SourceLine {
  std::string file; // whole path
  uint32_t line = 0, column = 0;
};

// Nothing for instructions that are not the kernel's own, or have no line.
std::optional<SourceLine> sourceLineOf(const LoadedKernel &kernel, uint64_t instruction);

} // namespace nereid::cpu
