// Arithmetic.h: Python's arithmetic on bounded integers and on floats, where C++ rounds or divides otherwise.
#pragma once

#include "lang/Session.h"
#include "lang/Value.h"

namespace nereid::lang {

[[noreturn]] void failOverflow(Session &session); // of an integer
Integer floorDivide(Integer lhs, Integer rhs);
Integer floorModulo(Integer lhs, Integer rhs);
double trueDivide(Integer lhs, Integer rhs); // rounded once
Integer integerPower(Session &session, Integer base, Integer exponent);
Integer powerModulo(Session &session, Integer base, Integer exponent, Integer modulus);
Integer shiftLeft(Session &session, Integer value, Integer count);
double readFloat(const std::string &text); // digits with a point and an exponent; too large is inf
// A float without its fraction as an integer.
Integer wholeOf(Session &session, double value);

double floatModulo(double lhs, double rhs);
double floatFloorDivide(double lhs, double rhs);
double floatPower(Session &session, double base, double exponent);

// round(): half to even, on the exact value.
double roundFloat(Session &session, double value, Integer digits);
Integer roundInteger(Session &session, Integer value, Integer digits);

} // namespace nereid::lang
