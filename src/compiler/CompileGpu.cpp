#include "compiler/CompileGpu.h"

namespace nereid::compiler {

Result<cuda::Artifact> compileGpu(const TileModule &, const GpuOptions &options) {
  return Error{Status::Environment, "error: this version generates no code for `" + options.target + "`\n"};
}

} // namespace nereid::compiler
