// Remarks.h: why a loop or a product is not as fast as it could be, at its line of the source.
#pragma once

#include "gpu/Options.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// Loops whose tiles do not come ahead of their use, and products without the fastest instruction, a line each:
// "kernel.py:12:5: remark: …". After loops are pipelined, before operands are staged.
std::string remarksOn(mlir::func::FuncOp kernel, const Options &options);

} // namespace nereid::gpu
