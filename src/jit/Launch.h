// Launch.h: arguments in, results in their memory: bind, specialize, compile on the first call, run.
#pragma once

#include "jit/Bind.h"
#include "jit/Specialize.h"
#include "runtime/Failure.h"

#include <array>
#include <chrono>

namespace nereid::cpu {
class LoadedKernel;
}
namespace nereid::cuda {
class LoadedKernel;
}

namespace nereid::jit {

struct Launched {
  std::array<uint32_t, 3> grid{};
  uint64_t programs = 0;
  std::string output;             // what device_print wrote
  std::string warnings;           // rendered
  double compileMilliseconds = 0; // until the code was there; 0: it was known in this process
  double tuneMilliseconds = 0;    // until the configuration was chosen; 0: there was nothing to choose, or it was known
  double runMilliseconds = 0;     // of the programs alone; on a GPU with what is copied to it and back
  bool isCached = false;          // the code comes from the disk cache
  std::vector<runtime::CheckReport> reports;
  // What a program takes on a GPU.
  struct Resources {
    uint32_t registers = 0, localBytes = 0; // for each thread; local memory: spills
    uint32_t sharedBytes = 0, threads = 0;
  };
  std::optional<Resources> resources;
};

// How long something took, from when it is made.
class Stopwatch {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

// The code of a launch, for the next one like it.
struct LaunchedCode {
  std::shared_ptr<const cpu::LoadedKernel> kernel;      // null: not on the CPU
  std::shared_ptr<const cuda::LoadedKernel> cudaKernel; // null: not on a GPU
  Specialization specialization;
};

// Runs a kernel and waits for it. Findings of the checker are not an error here: see `reports`.
Result<Launched> launch(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                        const std::vector<Argument> &arguments, const Settings &settings, LaunchedCode *code = nullptr);

// The same for arguments that are bound already, on a device that was chosen.
Result<Launched> launchBound(KernelModule &module, const Binding &binding, const std::string &device,
                             const std::array<uint32_t, 3> &grid, const Settings &settings,
                             LaunchedCode *code = nullptr);

// The text of the verified tile IR for these arguments.
Result<std::string> compileText(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                std::vector<NamedHostValue> arguments, const Settings &settings);

} // namespace nereid::jit
