// Pair.h: numbers as an unevaluated sum of two floats, the second below the last place of the first: about twice the
// precision. The error terms are exact, with and without a fused multiply-add.
#pragma once

#include "codegen/math/Term.h"

namespace nereid::codegen::terms {

struct Pair {
  Term high, low;
};

// a + b; the quick form needs |a| >= |b| or a = 0.
Pair exactSum(Term a, Term b);
Pair quickSum(Term a, Term b);
Pair exactProduct(Term a, Term b);

// With an error of a few units of 2^-104.
Pair operator+(Pair a, Pair b);
Pair operator*(Pair a, Pair b);
Pair operator*(Pair a, Term b);
Pair quotient(Term a, Term b);
Pair quotient(Pair a, Pair b);

} // namespace nereid::codegen::terms
