// Reduction.h: angles modulo a quarter turn.
#pragma once

#include "codegen/math/Pair.h"

namespace nereid::codegen::terms {

// x = quadrant · pi/2 + angle, |angle| <= pi/4 (a little more is possible); only the lower two bits of the quadrant
// count. For f64 of any size; the angle is NaN where x is infinite or NaN.
struct Reduced {
  Pair angle;
  Term quadrant;
};
Reduced reduceAngle(Term x);
// The same for numbers that come from f32: the angle is one double, its low part 0.
Reduced reduceSingleAngle(Term x);

// The same of an f32 from 2^15 on, one number and not a vector: angle and quadrant are an f32 and an i32. The sums are
// those of whole numbers, which take few registers.
struct SingleReduced {
  Term angle, quadrant;
};
SingleReduced reduceLargeSingle(Term x);

} // namespace nereid::codegen::terms
