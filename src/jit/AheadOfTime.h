// AheadOfTime.h: a kernel compiled to a file for a CPU, from a signature: no arguments, and no launch.
#pragma once

#include "cpu/Target.h"
#include "jit/Bind.h"

namespace nereid::jit {

enum class CpuStage { Llvm, Assembly, Object, Header };

struct AheadOfTimeOptions {
  cpu::Target target;
  CpuStage stage = CpuStage::Object;
  std::string launcher; // the name of the header's function; empty: KERNEL_launch
};

// The text, or the bytes, of one stage. The header of a kernel fits the object that is made with the same signature,
// settings and target: the symbol between them carries a hash of the code.
Result<std::string> compileAheadOfTime(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                       std::vector<NamedHostValue> arguments, const Settings &settings,
                                       const AheadOfTimeOptions &options);

} // namespace nereid::jit
