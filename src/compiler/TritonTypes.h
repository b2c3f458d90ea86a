// TritonTypes.h: our types and layouts in Triton's words.
#pragma once

#include "gpu/dialect/Warp.h"

#include "mlir/IR/BuiltinOps.h"

namespace nereid::compiler {

// Of one slot of a buffer or of barriers, and of a slot whose axes are exchanged. They are types of ours, which
// `writeTypesAsTriton` knows.
mlir::Type slotType(mlir::Type buffer);
mlir::Type transposedSlotType(warp::BufferType slot);
// Of the descriptor that a tensor map is.
mlir::Type mapType(warp::TensorMapOp map);

// Replaces all types and layouts in a module by opaque ones that are printed as Triton prints its own.
void writeTypesAsTriton(mlir::ModuleOp module);

} // namespace nereid::compiler
