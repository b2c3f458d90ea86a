// Marks.h: scopes inside of kernels, while somebody profiles: when each program entered and left them.
#pragma once

#include "runtime/cpu/Kernel.h"

namespace nereid::cpu {

// A program of this thread has come to a scope's beginning or end.
void addMark(const Site &site, uint64_t program, bool isEnd);
// Hands what this thread has noted to the profiler, after the programs ran: nothing is written down while one is measured.
void recordMarks(uint64_t launch);

} // namespace nereid::cpu
