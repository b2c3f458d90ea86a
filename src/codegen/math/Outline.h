// Outline.h: long functions are not inlined where they are used but become functions of the module, written once for
// the lanes of one register of f64. They are pure, have internal linkage, and call nothing outside.
#pragma once

#include "codegen/math/Term.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::codegen::terms {

using EmitFunction = llvm::function_ref<Term(llvm::ArrayRef<Term>)>;

// Calls `name`, emitting it first where the module lacks it, on floats or doubles of any number of lanes: taken apart
// into registers, and put together again.
Term callOutlined(llvm::StringRef name, EmitFunction emit, llvm::ArrayRef<Term> operands);

// In the name of a function that few elements take.
inline constexpr llvm::StringRef kRare = ".large";

// A function of one place of use becomes part of it, but for those that are rare: on a GPU, what stands before and behind it waits
// together with it then, and its code is fetched with theirs.
void inlineSingleUses(llvm::Module &module);

} // namespace nereid::codegen::terms
