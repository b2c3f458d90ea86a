// Fp32Work.h: which instructions of a kernel are sums and products of fp32 on the machine, and how many of them.
#pragma once

#include "interp/ptx/Kernel.h"

#include <span>

namespace nereid::interp::ptx {

// As `ptxas` expands them for numbers that are neither tiny nor huge.
void countFp32(Kernel &kernel);

// What the assembler made of a line of PTX: how many sums and products of fp32 stand in the machine code for it, always executed and
// under a condition. Conditions are for tiny and huge numbers, where PTX has none.
struct AssembledLine {
  uint32_t ptxLine = 0, fp32 = 0, guarded = 0;
  bool operator==(const AssembledLine &) const = default;
};

// Where the machine code is there, it says: what the assembler left out (no store needs it) does not count, and the rest is what
// became of it. A block that it wrote several times (a loop that it unrolled) has each of its lines as often.
void takeAssembled(Kernel &kernel, std::span<const AssembledLine> lines);

} // namespace nereid::interp::ptx
