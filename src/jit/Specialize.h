// Specialize.h: what a launch's arguments tell the compiler: types, and values worth a kernel of their own (1, None,
// multiples of 16), by Triton's rules.
#pragma once

#include "jit/Launch.h"

namespace nereid::jit {

// Fails through the session when the argument cannot be passed.
lang::ArgumentSpec specialize(lang::Session &session, const lang::Parameter &parameter, const LaunchArgument &argument);
// A text that is equal exactly for equal specializations.
std::string keyOf(const std::vector<lang::ArgumentSpec> &specs, const lang::EmitOptions &options);
// The argument's IR values, as the kernel's function takes them.
void packArgument(const lang::ArgumentSpec &spec, const LaunchArgument &argument, std::vector<interp::Argument> &out);
// The memory that the argument lets the kernel touch.
void addAllocations(const std::string &name, const LaunchArgument &argument, std::vector<interp::Allocation> &out);

} // namespace nereid::jit
