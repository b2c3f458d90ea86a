// Candidates.h: configurations compiled at the same time on all cores. A compiler serves one thread, so each thread
// loads the kernel file for itself. Tile IR is made by one thread at a time (it takes a few milliseconds, and the
// language's own modules are shared); machine code, where the time goes, by all.
#pragma once

#include "jit/Obtain.h"
#include "jit/StagedTensors.h"
#include "jit/tune/Tune.h"
#include "runtime/cpu/Launch.h"
#include "runtime/cuda/LoadedKernel.h"

namespace nereid::jit {

struct Candidate {
  unsigned config = 0;
  std::string problem;                                  // why there is no kernel
  bool isLeftOut = false;                               // there was no time for it
  std::shared_ptr<const cpu::LoadedKernel> kernel;      // or
  std::shared_ptr<const cuda::LoadedKernel> cudaKernel; // on a GPU
  std::vector<uint64_t> words;
  std::array<uint32_t, 3> grid{};
};

// Where the candidates will run: on the CPU, or on a GPU with these tensors.
struct CandidateDevice {
  cuda::Device *gpu = nullptr;
  const StagedTensors *tensors = nullptr;
};

std::vector<Candidate> compileCandidates(const KernelModule &module, const std::string &kernelName,
                                         const std::vector<unsigned> &configs, const std::vector<Argument> &arguments,
                                         const Settings &settings, const TuneOptions &options,
                                         const CandidateDevice &device = {});

} // namespace nereid::jit
