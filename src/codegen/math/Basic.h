// Basic.h: functions of a few instructions, exact or rounded once, on floats and doubles; always inlined.
#pragma once

#include "codegen/math/Term.h"

namespace nereid::codegen::terms {

// To whole numbers: Rounding.cpp.
Term floor(Term x);
Term ceil(Term x);
Term trunc(Term x);
Term round(Term x); // halves away from zero
Term roundEven(Term x);

// -0 is smaller than +0. The "number" forms ignore one NaN, the others give NaN for any.
Term maxNumber(Term a, Term b);
Term minNumber(Term a, Term b);
Term maximum(Term a, Term b);
Term minimum(Term a, Term b);
Term clamp(Term x, Term low, Term high);
Term positiveDifference(Term a, Term b);
Term saturate(Term x); // to [0, 1], NaN to 0

Term isInfinite(Term x);
Term isFinite(Term x);
Term isNormal(Term x);
Term signBit(Term x);

Term nextAfter(Term x, Term toward);
Term exponent(Term x); // logb

// a * b + c, rounded once on every target. No value for f64 where the target lacks the instruction.
Term fusedMultiplyAdd(Term a, Term b, Term c);

} // namespace nereid::codegen::terms
