// Slice.h: which instructions of a kernel must be computed to follow its warps, and which of their results are the same in
// all lanes of a warp.
#pragma once

#include "interp/ptx/Kernel.h"

namespace nereid::interp::ptx {

struct Slice {
  std::vector<bool> isComputed; // by instruction
  std::vector<bool> isVarying;  // by register: lanes may have different values
  bool readsShared = false;     // warps must be followed together, from barrier to barrier
};

Slice sliceOf(const Kernel &kernel);

// Registers that an instruction reads to compute its result or its address.
std::vector<uint32_t> sourcesOf(const KernelInstruction &instruction);
bool accessesShared(const KernelInstruction &instruction);

} // namespace nereid::interp::ptx
