#include "compiler/CompileCpu.h"

namespace nereid::compiler {

Result<cpu::Artifact> compileCpu(const TileModule &, const cpu::Target &, const CpuOptions &) {
  return Error{Status::Environment, "error: this build has no code generator for the CPU\n"};
}

} // namespace nereid::compiler
