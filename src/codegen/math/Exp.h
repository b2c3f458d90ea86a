// Exp.h: the steps of the f64 exponential that other functions are made of.
#pragma once

#include "codegen/math/Pair.h"

namespace nereid::codegen::terms {

// e^x = 2^n (1 + high + low), with |high| <= log(2)/2 and low below it in size. Beyond ±1000 x counts as that; NaN
// stays.
struct Exponential {
  Term high, low, n;
};
Exponential expParts(Pair x);
Term exp(Pair x);

// x 2^n in two steps, so that 2^n itself may be outside of the normal numbers; |n| <= 2044, rounded once.
Term scaleTwice(Term x, Term n);

} // namespace nereid::codegen::terms
