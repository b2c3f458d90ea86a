// Report.h: what the interpreter says about a launch, as diagnostics with source lines.
#pragma once

#include "jit/KernelModule.h"

namespace nereid::jit {

std::string renderFailure(KernelModule &module, const interp::Failure &failure);
std::string renderReport(KernelModule &module, const interp::CheckReport &report);

} // namespace nereid::jit
