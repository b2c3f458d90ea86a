// Bind.h: the arguments of a launch brought to the parameters of a kernel: by position, by name, from the kernel's
// autotune configuration, from its heuristics, from its defaults.
#pragma once

#include "gpu/CodeChoices.h"
#include "jit/HostValue.h"
#include "jit/KernelModule.h"
#include "jit/Settings.h"
#include "lang/emit/Emitter.h"

namespace nereid::jit {

struct Binding {
  std::shared_ptr<lang::Function> kernel;
  std::vector<HostValue> values; // one for each parameter
  lang::EmitOptions options;
  gpu::CodeChoices choices; // about code for a GPU
  bool usesConfig = false;  // a configuration gave values: another one would give others

  // The arguments by name, as grids and heuristics see them.
  lang::Value dictionary() const;
};

Result<Binding> bind(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                     std::vector<NamedHostValue> arguments, const Settings &settings);

} // namespace nereid::jit
