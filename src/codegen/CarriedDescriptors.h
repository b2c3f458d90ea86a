// CarriedDescriptors.h: descriptors that control flow passes on, as what they consist of.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::codegen {

// Afterwards every descriptor that is read is made where it is read from, or is an argument of the kernel. Those whose
// padding depends on the way taken are left as they are.
void carryDescriptorParts(mlir::func::FuncOp kernel);

} // namespace nereid::codegen
