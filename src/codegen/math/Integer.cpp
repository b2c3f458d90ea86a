// Integer.cpp: functions of libdevice on integers, between integers and floats, and on the bits of floats.
#include "codegen/math/Integer.h"
#include "codegen/math/Basic.h"
#include "codegen/math/Nvidia.h"

#include "llvm/IR/Intrinsics.h"

#include <cmath>

namespace nereid::codegen::terms {

namespace {

llvm::IRBuilderBase &builderOf(Term a) { return a.code->builder; }

Term saturating(Term whole, unsigned bits, bool isSigned) {
  Term result = whole.with(saturate(builderOf(whole), whole.value, whole.integerType(bits), isSigned));
  if (bits == 32 && !whole.isDouble())
    return result;
  return select(isNaN(whole), uint64_t(1) << (bits - 1), result);
}

Term widenSigned(Term a) { return a.with(builderOf(a).CreateSExt(a.value, a.integerType(2 * a.elementBits()))); }
Term widenUnsigned(Term a) { return resize(a, 2 * a.elementBits()); }
Term upperPart(Term product) { return resize(product >> (product.elementBits() / 2), product.elementBits() / 2); }

Term call(llvm::Intrinsic::ID function, Term a) { return a.with(builderOf(a).CreateUnaryIntrinsic(function, a.value)); }
// For functions that ask whether zero is left undefined; it is not.
Term callForZero(llvm::Intrinsic::ID function, Term a) {
  return a.with(builderOf(a).CreateBinaryIntrinsic(function, a.value, builderOf(a).getFalse()));
}
Term isBelow(Term a, Term b) { return a.with(builderOf(a).CreateICmpULT(a.value, b.value)); }

} // namespace

llvm::Value *saturate(llvm::IRBuilderBase &b, llvm::Value *value, llvm::Type *to, bool isSigned) {
  unsigned bits = to->getScalarSizeInBits();
  auto bound = [&](double number) { return llvm::ConstantFP::get(value->getType(), number); };
  double end = std::ldexp(1.0, int(isSigned ? bits - 1 : bits));
  llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits);
  llvm::Value *isLarge = b.CreateFCmpOGE(value, bound(end));
  llvm::Value *isSmall = isSigned ? b.CreateFCmpOLT(value, bound(-end)) : b.CreateFCmpOLE(value, bound(-1));
  llvm::Value *isCut = b.CreateOr(b.CreateOr(isLarge, isSmall), b.CreateFCmpUNO(value, value));
  llvm::Value *safe = b.CreateSelect(isCut, bound(0), value);
  llvm::Type *wide = bits < 32 ? to->getWithNewBitWidth(32) : to; // to fewer bits x86 has no instruction for halves
  llvm::Value *whole = isSigned || bits < 32 ? b.CreateFPToSI(safe, wide) : b.CreateFPToUI(safe, wide);
  whole = b.CreateTrunc(whole, to);
  whole = b.CreateSelect(isSmall, llvm::ConstantInt::get(to, least), whole);
  return b.CreateSelect(isLarge, llvm::ConstantInt::get(to, ~least), whole);
}

Term toSigned(Term whole, unsigned bits) {
  return isNvidia(whole) ? cutToInteger(whole, bits, true) : saturating(whole, bits, true);
}
Term toUnsigned(Term whole, unsigned bits) {
  return isNvidia(whole) ? cutToInteger(whole, bits, false) : saturating(whole, bits, false);
}

Term integerExponent(Term x) {
  constexpr uint32_t kLeast = 0x80000000;
  Term result = saturating(exponent(x), 32, true);
  return select(isNaN(x), kLeast, result);
}

Term findFirstSet(Term a) {
  Term trailing = callForZero(llvm::Intrinsic::cttz, a);
  return resize(select(a == 0, 0, trailing + 1), 32);
}
Term countLeadingZeros(Term a) { return resize(callForZero(llvm::Intrinsic::ctlz, a), 32); }
Term countOnes(Term a) { return resize(call(llvm::Intrinsic::ctpop, a), 32); }
Term reverseBits(Term a) { return call(llvm::Intrinsic::bitreverse, a); }
Term absolute(Term a) { return select(a < 0, -a, a); }

// Each nibble of the selector picks one of the eight bytes of (b, a) by its lower three bits.
Term permuteBytes(Term a, Term b, Term selector) {
  Term bytes = resize(b, 64) << 32 | resize(a, 64), wide = resize(selector, 64), result = bytes.like(0);
  for (unsigned i = 0; i < 4; ++i) {
    Term shift = ((wide >> (4 * i)) & 7) << 3;
    Term byte = bytes.with(builderOf(a).CreateLShr(bytes.value, shift.value)) & 0xff;
    result = result | byte << (8 * i);
  }
  return resize(result, 32);
}

Term multiply24(Term a, Term b) { return shiftRightSigned(a << 8, 8) * shiftRightSigned(b << 8, 8); }
Term unsignedMultiply24(Term a, Term b) { return (a & 0xffffff) * (b & 0xffffff); }
Term multiplyHigh(Term a, Term b) { return upperPart(widenSigned(a) * widenSigned(b)); }
Term unsignedMultiplyHigh(Term a, Term b) { return upperPart(widenUnsigned(a) * widenUnsigned(b)); }

Term sumOfDifference(Term a, Term b, Term c) { return select(a > b, a - b, b - a) + c; }
Term unsignedSumOfDifference(Term a, Term b, Term c) { return select(isBelow(a, b), b - a, a - b) + c; }

// The common bits, and half of the others.
Term average(Term a, Term b) { return (a & b) + shiftRightSigned(a ^ b, 1); }
Term averageUp(Term a, Term b) { return (a | b) - shiftRightSigned(a ^ b, 1); }
Term unsignedAverage(Term a, Term b) { return (a & b) + ((a ^ b) >> 1); }
Term unsignedAverageUp(Term a, Term b) { return (a | b) - ((a ^ b) >> 1); }

Term lowHalf(Term x) { return resize(bits(x), 32); }
Term highHalf(Term x) { return resize(bits(x) >> 32, 32); }
Term joinHalves(Term high, Term low) { return asFloat(resize(high, 64) << 32 | resize(low, 64)); }

} // namespace nereid::codegen::terms
