// Header.h: the C header of a kernel that is compiled ahead of time: one typed function that launches it, for programs
// that link the kernel's object and libnereid-rt.
#pragma once

#include "cpu/Target.h"
#include "lang/Function.h"
#include "lang/emit/EmitIR.h"
#include "runtime/cpu/Kernel.h"

namespace nereid::jit {

struct HeaderRequest {
  const lang::Function &kernel;
  const std::vector<lang::ArgumentSpec> &specs; // one for each parameter
  const cpu::Artifact &artifact;                // its name is the symbol in the object
  const cpu::Target &target;
  std::string file;     // of the kernel, for the comment
  std::string launcher; // the name of the function; empty: KERNEL_launch
};

std::string emitHeader(const HeaderRequest &request);

} // namespace nereid::jit
