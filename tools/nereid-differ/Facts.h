// Facts.h: how the facts of operands become the facts of a result.
//
// This is the rule of comparison. Integers, and floats with `error` 0, are compared bit by bit (every NaN is one NaN).
// `error` is 0 as long as a value comes from operations whose result IEEE 754 fixes: loads, conversions, comparisons,
// single additions and products, and also sums and matrix products of whole numbers so small that no partial result can
// be rounded. An inexact function (4 units in the last place) or a sum whose order is free makes `error` positive; from
// there a forward error analysis over the intervals [low, high] carries a bound of |device A - device B| to the output,
// which is then compared with that bound. Discontinuous operations (comparison, floor, casts to integers, argmax, sort)
// are generated for values with `error` 0 only.
#pragma once

#include "Program.h"

#include <optional>

namespace nereid::differ {

// One unit in the last place of 1, the largest finite value, and the largest n such that all whole numbers up to n are
// representable.
double unitOf(DType dtype);
double largestOf(DType dtype);
double exactLimitOf(DType dtype);
// The range of an integer type.
double lowestOf(DType dtype);
double highestOf(DType dtype);

Facts fullFacts(DType dtype); // any bits
Facts integerFacts(double low, double high);
// Whole numbers that the type holds exactly.
Facts wholeFacts(double low, double high);

// The facts of an integer result with these bounds: all values of the type when it can wrap.
Facts wrapped(DType dtype, double low, double high);

Facts unite(const Facts &a, const Facts &b);

// Floating-point arithmetic; nothing where a result cannot be bounded. With `contracts`, devices may fuse a
// multiplication and an addition.
std::optional<Facts> addFacts(DType dtype, const Facts &a, const Facts &b, bool contracts);
std::optional<Facts> multiplyFacts(DType dtype, const Facts &a, const Facts &b);
std::optional<Facts> divideFacts(DType dtype, const Facts &a, const Facts &b);
Facts negateFacts(const Facts &a);
Facts absoluteFacts(const Facts &a);
Facts extremumFacts(const Facts &a, const Facts &b);
// The sum of `count` values.
std::optional<Facts> sumFacts(DType dtype, const Facts &a, double count);
std::optional<Facts> castFacts(DType from, DType to, const Facts &a);

// A result after one rounding to the type: overflow is special where the error is 0 and not allowed elsewhere.
std::optional<Facts> rounded(DType dtype, Facts facts);

} // namespace nereid::differ
