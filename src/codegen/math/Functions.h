// Functions.h: mathematical functions of terms. Those named `fast…` are for f32 and inlined where they are used; the
// others are written for f64 of one register's lanes and become functions of the module (Outline.h), which f32 reaches
// by widening; those named `…Single` need to be right only for that.
#pragma once

#include "codegen/math/Term.h"

namespace nereid::codegen::terms {

// Exp.cpp
Term fastExp(Term x);
Term fastExp2(Term x);
Term fastExp10(Term x);
Term fastExpm1(Term x);
Term exp(Term x);
Term exp2(Term x);
Term exp10(Term x);
Term expm1(Term x);

// Log.cpp
Term fastLog(Term x);
Term fastLog2(Term x);
Term fastLog10(Term x);
Term fastLog1p(Term x);
Term log(Term x);
Term log2(Term x);
Term log10(Term x);
Term log1p(Term x);

// Trigonometric.cpp
Term sin(Term x);
Term cos(Term x);
Term sinSingle(Term x);
Term cosSingle(Term x);
// Of f32 without any f64, which many GPUs have little of; NaN and angles above kSmallAngle are the others'.
constexpr double kSmallAngle = 0x1p15;
Term sinSmall(Term x);
Term cosSmall(Term x);
Term sinLarge(Term x); // the others; one lane of an f64
Term cosLarge(Term x);
Term tan(Term x);
Term tanSmall(Term x);
Term tanLarge(Term x);
Term sinPi(Term x);
Term cosPi(Term x);

// InverseTrigonometric.cpp
Term fastAsin(Term x);
Term fastAcos(Term x);
Term fastAtan(Term x);
Term fastAtan2(Term y, Term x);
Term asin(Term x);
Term acos(Term x);
Term atan(Term x);
Term atan2(Term y, Term x);

// Hyperbolic.cpp
Term fastTanh(Term x);
Term sinh(Term x);
Term cosh(Term x);
Term tanh(Term x);
Term asinh(Term x);
Term acosh(Term x);
Term atanh(Term x);

// Error.cpp
Term fastErf(Term x);
Term erf(Term x);
Term erfc(Term x);
Term normalCdf(Term x);

// Power.cpp
Term fastPow(Term x, Term y);
Term pow(Term x, Term y);
Term powSingle(Term x, Term y);
Term cbrt(Term x);
Term inverseCbrt(Term x);
Term inverseSqrt(Term x);
Term hypot(Term x, Term y);
Term inverseHypot(Term x, Term y);
Term ldexpSingle(Term x, Term n);
Term norm3(Term x, Term y, Term z);
Term inverseNorm3(Term x, Term y, Term z);

// Remainder.cpp
Term fmod(Term x, Term y);
Term remainder(Term x, Term y);

} // namespace nereid::codegen::terms
