// Nvidia.h: instructions of NVIDIA GPUs that functions are made of. The rough ones are 2 units of the last place off, for
// f32 only.
#pragma once

#include "codegen/math/Term.h"

namespace nereid::codegen::terms {

bool isNvidia(Term a);
Term roughPower(Term x);                           // 2^x
Term saturatedFma(Term x, double by, double plus); // x * by + plus, limited to 0 … 1; 0 of NaN
Term roughReciprocal(Term x);                      // 1 / x; 0 of an infinity
// a / b, where both and the quotient are far from the ends of their range, or it does not matter: on NVIDIA GPUs the quotient of f64
// looks for those ends in a branch, which keeps apart what could wait together.
Term moderateQuotient(Term a, Term b);

// An f32 or f64 cut to an integer of 8 to 64 bits by one instruction; what does not fit becomes the nearest that does. NaN
// becomes 0, or the highest bit alone where one of the two has 64.
llvm::Value *cutToInteger(llvm::IRBuilderBase &builder, llvm::Value *number, unsigned bits, bool isSigned);
Term cutToInteger(Term x, unsigned bits, bool isSigned); // 32 or 64, in each lane

} // namespace nereid::codegen::terms
