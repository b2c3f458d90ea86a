// Tune.h: which of a kernel's autotune configurations is the fastest here. All of them are compiled on all cores, then
// timed one by one on the caller's own tensors, which afterwards hold what they held before. The answer is kept on
// disk: another process with the same kernel, key arguments and machine tunes nothing.
#pragma once

#include "jit/Bind.h"

#include <functional>

namespace nereid::jit {

// One configuration that was tried.
struct Trial {
  unsigned config = 0;    // its place in the kernel's list
  std::string text;       // BLOCK_M=64 BLOCK_N=32 num_warps=4 …
  std::string problem;    // why it was not timed; empty when it was
  bool isLeftOut = false; // for lack of time
  double seconds = 0;     // the median of its runs
};

struct Tuning {
  unsigned best = 0; // its place in the kernel's list
  std::vector<Trial> trials;
  std::vector<std::string> notes; // what could not be done as the kernel's author meant it
  bool isKept = false;            // known from an earlier run
  double compileSeconds = 0, timingSeconds = 0;
};

struct TuneOptions {
  bool again = false; // even when the answer is known
  // These instead of the kernel's own; their values are constants. The answer is not kept.
  std::vector<lang::Config> configs;
  std::function<void(const std::string &what, size_t done, size_t total)> progress;
  // How long it may take, in seconds; 0: as long as it needs. Half of that is for compiling. What there is no time for is left out, and
  // the answer is not kept; one configuration is tried in any case.
  double seconds = 0;
};

// The kernel with the configurations of the options, where they have some.
std::shared_ptr<lang::Function> withConfigs(const std::shared_ptr<lang::Function> &kernel, const TuneOptions &options);

// Fails when no configuration works.
Result<Tuning> tune(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                    const std::vector<Argument> &arguments, const Settings &settings, const TuneOptions &options = {});

struct ChosenConfig {
  unsigned config = 0;
  bool isKept = false; // known from an earlier run
};
// The configuration to use for a launch whose settings name none: what was found before in this process, else tune().
Result<ChosenConfig> bestConfig(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                const std::vector<Argument> &arguments, const Settings &settings);

std::string textOf(const lang::Config &config);

} // namespace nereid::jit
