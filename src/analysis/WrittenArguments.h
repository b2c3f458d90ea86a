// WrittenArguments.h: through which of its arguments a kernel may write to memory.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace nereid::analysis {

// One answer for each argument; true where a store, an atomic or unknown code may get an address that was made from it.
// Addresses that come out of memory are not followed.
std::vector<bool> writtenArguments(mlir::func::FuncOp kernel);

} // namespace nereid::analysis
