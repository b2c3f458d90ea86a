// Blocks.h: control flow inside the functions of Outline.h.
#pragma once

#include "codegen/math/Term.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::codegen::terms {

// True where any lane of a condition is.
llvm::Value *anyLane(Term condition);

// Repeats `step` on a value while `goesOn` holds in any lane, tested before the first step too.
Term whileAny(Term start, llvm::function_ref<Term(Term)> goesOn, llvm::function_ref<Term(Term)> step);

} // namespace nereid::codegen::terms
