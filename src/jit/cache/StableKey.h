// StableKey.h: what a kernel is specialized for, as text that means the same in every process of the same build with
// the same sources. (Specialization::key holds addresses and is good for one process only.)
#pragma once

#include "jit/KernelModule.h"
#include "lang/emit/EmitIR.h"

#include <optional>

namespace nereid::jit {

// Nothing when the kernel or an argument can only be named by its address: a function made by another one, an object of
// a class that is no global name. Such a kernel is compiled anew in each process.
std::optional<std::string> stableKey(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                     const std::vector<lang::ArgumentSpec> &specs, const lang::EmitOptions &options);

} // namespace nereid::jit
