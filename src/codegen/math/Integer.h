// Integer.h: functions of libdevice on integers, between integers and floats, and on the bits of floats.
#pragma once

#include "codegen/math/Term.h"

namespace nereid::codegen::terms {

// A whole number to an integer of 32 or 64 bits. What does not fit becomes the nearest integer that does; NaN gives 0
// from f32 to 32 bits and otherwise the top bit, as on NVIDIA GPUs.
Term toSigned(Term whole, unsigned bits);
Term toUnsigned(Term whole, unsigned bits);
// Of a float of 32 or 64 bits, as LLVM's fptosi.sat and fptoui.sat, which become branches for each element on x86: what is no
// number gives 0.
llvm::Value *saturate(llvm::IRBuilderBase &builder, llvm::Value *value, llvm::Type *to, bool isSigned);
// The exponent as an int32, and what the C library has for 0, infinity and NaN.
Term integerExponent(Term x);

Term findFirstSet(Term a); // counted from 1; 0 for 0
Term reverseBits(Term a);
Term permuteBytes(Term a, Term b, Term selector);
Term multiply24(Term a, Term b);
Term unsignedMultiply24(Term a, Term b);
Term multiplyHigh(Term a, Term b);
Term unsignedMultiplyHigh(Term a, Term b);
Term countLeadingZeros(Term a); // an int32
Term countOnes(Term a);         // an int32
Term absolute(Term a);
Term sumOfDifference(Term a, Term b, Term c); // |a - b| + c
Term unsignedSumOfDifference(Term a, Term b, Term c);
// (a + b) / 2 without overflow, down or up.
Term average(Term a, Term b);
Term averageUp(Term a, Term b);
Term unsignedAverage(Term a, Term b);
Term unsignedAverageUp(Term a, Term b);

Term lowHalf(Term x);
Term highHalf(Term x);
Term joinHalves(Term high, Term low);

} // namespace nereid::codegen::terms
