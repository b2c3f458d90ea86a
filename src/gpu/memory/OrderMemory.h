// OrderMemory.h: threads of one program see each other's accesses to global memory in the order of the program.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// The argument that a pointer, or a tile of pointers, was made from; null where that is not known.
mlir::Value memoryRoot(mlir::Value pointer);

// What other programs write while this one runs is read in the order of the kernel: atomics whose results are used may wait for it.
bool mayWaitForOthers(mlir::Operation *op);

} // namespace nereid::gpu
