// Blocks.h: control flow inside functions, mostly those of Outline.h.
#pragma once

#include "codegen/math/Term.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::codegen::terms {

// True where any lane of a condition is.
llvm::Value *anyLane(Term condition);

// What `others` gives where the condition, of one lane, holds; else the values.
using Terms = llvm::SmallVector<Term>;
Terms replaceIf(llvm::Value *condition, llvm::ArrayRef<Term> values, llvm::function_ref<Terms()> others);

// The value, or where the condition holds `other` of x. That is rare: it is computed for one lane after the other, so
// that the registers it needs are few.
Term replaceWhere(Term condition, Term value, Term x, llvm::function_ref<Term(Term)> other);

// Repeats `step` on a value while `goesOn` holds in any lane, tested before the first step too.
Term whileAny(Term start, llvm::function_ref<Term(Term)> goesOn, llvm::function_ref<Term(Term)> step);

} // namespace nereid::codegen::terms
