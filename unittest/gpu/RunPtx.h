// RunPtx.h: one block of a kernel on the emulated GPU (unittest/emulatedgpu).
#pragma once

#include "TensorMaps.h"

#include <span>

namespace nereid::gpu {

struct PtxRun {
  std::string problem;   // empty: it went well
  uint64_t barriers = 0; // that the block passed
};

// The function `kernel` of `ptx`, which reaches `global` alone. A tensor map is an argument by its index in `maps`.
PtxRun runPtx(const std::string &ptx, uint32_t threads, uint64_t sharedBytes, std::span<uint8_t> global,
              const std::vector<uint64_t> &arguments, std::vector<emulated::TensorMap> maps = {});

} // namespace nereid::gpu
