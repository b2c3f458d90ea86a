// Lanes.h: functions of scalars on vectors.
#pragma once

#include "codegen/Arithmetic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::codegen {

// A function of scalars on each lane of vectors of equal length, or once on scalars.
llvm::Value *mapLanes(llvm::IRBuilderBase &builder, Operands operands,
                      llvm::function_ref<llvm::Value *(Operands)> function);

} // namespace nereid::codegen
