// TargetLaunch.h: devices that are targets of the compiler: `cpu:NAME`, code for another processor than this one (x86-64, x86-64-v2+avx),
// run here, and `sm_90a` and its like, code for a GPU that need not be here: it is compiled and never run.
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

// Whether the device is a kind of GPU, for which programs are only compiled.
bool isCompiledOnly(const std::string &device);
// To PTX; `assembles`: and to machine code, where there is an assembler.
Result<void> compileForGpu(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                           const std::vector<Argument> &arguments, const jit::Settings &settings, bool assembles);

} // namespace nereid::differ
