// TritonOps.h: tile IR, planned for a GPU or not, in the ops and types of Triton.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace nereid::compiler {

// In place, of a kernel that was asked to have so many warps. What is left is good for printing alone: types and attributes of
// Triton are opaque.
void writeAsTriton(mlir::ModuleOp module, int numWarps = 4);

} // namespace nereid::compiler
