// Assemble.h: PTX to machine code without the driver: in this process where NVIDIA's compiler is found as a library,
// else with `ptxas`. Both run on any number of threads at once and need no GPU. Where there is neither, the driver
// assembles what it loads (LoadedKernel.h) and keeps a cache of its own; it holds a lock, so that many kernels take
// their time one after another. The linkers (cuLink…, nvJitLink) are no way: they compile for separate linking, where
// `setmaxnreg` is ignored and wgmma serialized.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/PtxLog.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nereid::cuda {

struct AssembleRequest {
  const std::string &kernel; // for messages
  const std::string &ptx;
  const std::string &target; // "sm_90a"
  bool lineInfo = true;
  std::string options = {}; // more of them, with spaces between
  uint32_t mostBlocks = 0;  // how many find room in a multiprocessor, but for registers; 0: it does not matter
};

struct Assembled {
  std::vector<std::byte> image; // a cubin
  std::string remarks;          // see remarksOf
  Resources resources;          // see resourcesOf
};

// Fails with Status::BadInput where the PTX is wrong, and `problem` gets the place; with Status::Environment where there
// is no assembler, or it is too old for the PTX: then the driver may still do it.
Result<Assembled> assemble(const AssembleRequest &request, std::optional<PtxProblem> *problem = nullptr);

// "ptxas 12.9 (/usr/local/cuda/bin/ptxas)", or "the driver", for `nereid info`.
std::string describeAssembler();

} // namespace nereid::cuda
