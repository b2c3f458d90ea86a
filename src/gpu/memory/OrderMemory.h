// OrderMemory.h: threads of one program see each other's accesses to global memory in the order of the program.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// The argument that a pointer, or a tile of pointers, was made from; null where that is not known.
mlir::Value memoryRoot(mlir::Value pointer);

} // namespace nereid::gpu
