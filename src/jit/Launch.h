// Launch.h: arguments in, results in their memory: bind, specialize, compile on the first call, run.
#pragma once

#include "jit/Bind.h"

#include <array>

namespace nereid::jit {

struct Launched {
  std::array<uint32_t, 3> grid{};
  uint64_t programs = 0;
  std::string output;   // what device_print wrote
  std::string warnings; // rendered
  std::vector<interp::CheckReport> reports;
};

// Runs a kernel on the interpreter and waits for it. Findings of the checker are not an error here: see `reports`.
Result<Launched> launch(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                        const std::vector<Argument> &arguments, const Settings &settings);

// The text of the verified tile IR for these arguments.
Result<std::string> compileText(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                std::vector<NamedHostValue> arguments, const Settings &settings);

} // namespace nereid::jit
