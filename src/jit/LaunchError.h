// LaunchError.h: how a launch of compiled code failed, as an error with the source line.
#pragma once

#include "jit/KernelModule.h"
#include "runtime/Argument.h"
#include "runtime/cpu/Launch.h"

namespace nereid::jit {

// `memory` is what the kernel was given: an illegal access names the tensor that it is nearest to.
Error launchError(KernelModule &module, const cpu::LoadedKernel &kernel, const cpu::LaunchFailure &failure,
                  const std::vector<runtime::Allocation> &memory);

// A byte that a kernel wrote beside its tensors; which program did is not known.
Error strayWriteError(KernelModule &module, uint64_t address, const std::vector<runtime::Allocation> &memory);

} // namespace nereid::jit
