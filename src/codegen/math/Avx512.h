// Avx512.h: instructions of AVX-512 that take exponents apart and put them back, exceptions included.
#pragma once

#include "codegen/math/Term.h"

namespace nereid::codegen::terms {

// Whether the target has them for f32 vectors of this many lanes (4, 8, or a multiple of 16).
bool hasExponentInstructions(Term a);

// a * 2^floor(b), rounded once; b may be anything: -infinity gives 0, NaN gives NaN.
Term scaleByPower(Term a, Term b);
// The smaller magnitude with the sign of a; `bound` where a is NaN.
Term limitMagnitude(Term a, double bound);
// floor(log2 |a|) as a float: -infinity for 0, infinity for infinity.
Term exponentOf(Term a);
// a / 2^k in [0.75, 1.5); 1 for 0 and infinity, NaN for negative numbers.
Term mantissaOf(Term a);

} // namespace nereid::codegen::terms
