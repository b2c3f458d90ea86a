// Pipeline.h: the order of passes, for every target, in one place.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace nereid::compiler {

// Target-independent clean-up of freshly emitted tile IR. Returns false after reporting through the context's handler.
bool runTilePipeline(mlir::ModuleOp module);

} // namespace nereid::compiler
