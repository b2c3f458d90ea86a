// Log.h: the steps of the f64 logarithm that other functions are made of.
#pragma once

#include "codegen/math/Pair.h"

namespace nereid::codegen::terms {

// x = 2^exponent · mantissa with the mantissa in [sqrt(1/2), sqrt(2)), for positive finite x, f32 or f64.
struct Scaled {
  Term mantissa, exponent;
};
Scaled splitExponent(Term x);

// log((1 + x) 2^units) for x > -1; what the sum 1 + x loses is added back, divided by it.
Term logOnePlus(Pair x, Term units);
// log(x) for positive finite x, with an error of about 2^-66 of it.
Pair preciseLog(Term x);

} // namespace nereid::codegen::terms
