// TargetLaunch.h: the device `cpu:NAME`: code for another processor than this one (x86-64, x86-64-v2+avx), run here.
#pragma once

#include "jit/Launch.h"

namespace nereid::differ {

// The part after `cpu:`; empty for every other device.
std::string targetOf(const std::string &device);
// Whether there is such a processor, and this one runs its code.
bool hasTarget(const std::string &name);

Result<jit::Launched> launchForTarget(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                      const std::vector<Argument> &arguments, const jit::Settings &settings,
                                      const std::string &target);

} // namespace nereid::differ
