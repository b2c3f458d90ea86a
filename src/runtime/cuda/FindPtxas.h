// FindPtxas.h: where NVIDIA's assembler is on this machine.
#pragma once

#include <string>

namespace nereid::cuda {

struct Ptxas {
  std::string path; // empty: there is none
  int version = 0;  // 1209: of CUDA 12.9
};

// NEREID_PTXAS, TRITON_PTXAS_PATH, PATH, /usr/local/cuda/bin, then a `triton` wheel of Python; the first one that runs.
// Looked for once in a process.
const Ptxas &findPtxas();

} // namespace nereid::cuda
