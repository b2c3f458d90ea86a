// JoinAccesses.h: `ptxas` makes one access of neighbouring ones: four `st.shared.b32` at %rd4, %rd4+4, … are one of 16 bytes.
#pragma once

#include "interp/ptx/Kernel.h"

namespace nereid::interp::ptx {

struct Joined {
  uint32_t leader = 0; // the access that stands for all of them: the one at the lowest address
  uint32_t bytes = 0;  // of all; 0: this access is on its own
};

// By instruction. Accesses join where a multiple of `bytes` is the address of the leader, which the walk knows.
std::vector<Joined> joinAccesses(const Kernel &kernel);

} // namespace nereid::interp::ptx
