// Prepare.h: tile IR brought to what the back ends know.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::codegen {

// Puts the bodies of called functions in the place of the calls.
void inlineCalls(mlir::func::FuncOp kernel);
// How indices are written: as tiles of 64-bit numbers, which loops over elements see through, or with as much as
// possible in scalars that all threads share.
enum class DescriptorForm { Loops, Threads };

// Blocks of described tensors become loads and stores of pointers with masks, except for those that `keeps` wants to
// stay. The op that cannot be expanded, or null.
mlir::Operation *expandDescriptors(mlir::func::FuncOp kernel, DescriptorForm form = DescriptorForm::Loops,
                                   llvm::function_ref<bool(mlir::Operation *)> keeps = {});

} // namespace nereid::codegen
