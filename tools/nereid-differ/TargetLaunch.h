// TargetLaunch.h: devices that are targets of the compiler: `cpu:NAME`, code for another processor than this one (x86-64, x86-64-v2+avx),
// run here, `sm_90a` and its like, code for a GPU that need not be here: it is compiled and never run; and `emitted`, the interpreter
// without the passes that all other devices share, or with those that are named: `emitted:canonicalize+tile-fold-ranges`.
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

// The interpreter on tile IR as it is emitted, or as passes on tile IR leave it.
bool isEmitted(const std::string &device);
// Whether there are the passes that its name asks for.
bool hasPasses(const std::string &device);
Result<jit::Launched> launchEmitted(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                    const std::vector<Argument> &arguments, const jit::Settings &settings);

// Whether the device is a kind of GPU, for which programs are only compiled.
bool isCompiledOnly(const std::string &device);
// To PTX; `assembles`: and to machine code, where there is an assembler.
Result<void> compileForGpu(jit::KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                           const std::vector<Argument> &arguments, const jit::Settings &settings, bool assembles);

} // namespace nereid::differ
