// Arithmetic.cpp: arith on registers: scalars, or vectors of equal length. The meaning of every op is the
// interpreter's: what the hardware leaves open (shifts by the width, division by zero) is defined there, and made here.
#include "codegen/Arithmetic.h"

#include "codegen/math/Integer.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace mlir;

namespace nereid::codegen {

namespace {

using Emit = llvm::Value *(*)(llvm::IRBuilder<> &, Operands);

llvm::Value *number(llvm::Value *like, uint64_t value) { return llvm::ConstantInt::get(like->getType(), value, true); }
unsigned bitsOf(llvm::Value *value) { return value->getType()->getScalarSizeInBits(); }

template <llvm::Instruction::BinaryOps opcode> llvm::Value *binary(llvm::IRBuilder<> &b, Operands v) {
  return b.CreateBinOp(opcode, v[0], v[1]);
}
template <llvm::Intrinsic::ID id> llvm::Value *intrinsic2(llvm::IRBuilder<> &b, Operands v) {
  return b.CreateBinaryIntrinsic(id, v[0], v[1]);
}
template <llvm::Intrinsic::ID id> llvm::Value *intrinsic1(llvm::IRBuilder<> &b, Operands v) {
  return b.CreateUnaryIntrinsic(id, v[0]);
}

// ---- Division: by zero all ones (the dividend as the remainder); the smallest number by -1 is itself.
struct Division {
  llvm::Value *quotient, *remainder, *isZero;
};

llvm::Value *magnitude(llvm::IRBuilder<> &b, llvm::Value *value) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b.getFalse());
}

// By a number that is not known magnitudes are divided, which have no case for -1: a GPU divides them in any case. (Its
// assembler takes the absolute value of the least integer for one above zero where it divides with a sign.)
llvm::Value *divideSigned(llvm::IRBuilder<> &b, Operands v, llvm::Value *isZero) {
  llvm::Value *one = number(v[0], 1), *zero = number(v[0], 0);
  if (llvm::isa<llvm::Constant>(v[1])) {
    llvm::Value *isMinusOne = b.CreateICmpEQ(v[1], number(v[0], -1));
    llvm::Value *quotient = b.CreateSDiv(v[0], b.CreateSelect(b.CreateOr(isZero, isMinusOne), one, v[1]));
    return b.CreateSelect(isMinusOne, b.CreateNeg(v[0]), quotient);
  }
  llvm::Value *quotient = b.CreateUDiv(magnitude(b, v[0]), b.CreateSelect(isZero, one, magnitude(b, v[1])));
  return b.CreateSelect(b.CreateICmpSLT(b.CreateXor(v[0], v[1]), zero), b.CreateNeg(quotient), quotient);
}

Division divideSafely(llvm::IRBuilder<> &b, Operands v, bool isSigned) {
  llvm::Value *isZero = b.CreateICmpEQ(v[1], number(v[0], 0));
  llvm::Value *quotient =
      isSigned ? divideSigned(b, v, isZero) : b.CreateUDiv(v[0], b.CreateSelect(isZero, number(v[0], 1), v[1]));
  return {b.CreateSelect(isZero, number(v[0], -1), quotient), b.CreateSub(v[0], b.CreateMul(quotient, v[1])), isZero};
}

llvm::Value *divideRounded(llvm::IRBuilder<> &b, Operands v, bool isUp) {
  Division division = divideSafely(b, v, true);
  llvm::Value *zero = number(v[0], 0);
  llvm::Value *isRest = b.CreateAnd(b.CreateICmpNE(division.remainder, zero), b.CreateNot(division.isZero));
  llvm::Value *signs = b.CreateICmpSLT(b.CreateXor(v[0], v[1]), zero);
  if (isUp)
    signs = b.CreateNot(signs);
  llvm::Value *step = b.CreateZExt(b.CreateAnd(isRest, signs), v[0]->getType());
  return isUp ? b.CreateAdd(division.quotient, step) : b.CreateSub(division.quotient, step);
}

llvm::Value *ceilUnsigned(llvm::IRBuilder<> &b, Operands v) {
  Division division = divideSafely(b, v, false);
  llvm::Value *isRest = b.CreateAnd(b.CreateICmpNE(division.remainder, number(v[0], 0)), b.CreateNot(division.isZero));
  return b.CreateAdd(division.quotient, b.CreateZExt(isRest, v[0]->getType()));
}

template <bool isSigned> llvm::Value *quotient(llvm::IRBuilder<> &b, Operands v) {
  return divideSafely(b, v, isSigned).quotient;
}
template <bool isSigned> llvm::Value *remainder(llvm::IRBuilder<> &b, Operands v) {
  return divideSafely(b, v, isSigned).remainder;
}
template <bool isUp> llvm::Value *rounded(llvm::IRBuilder<> &b, Operands v) { return divideRounded(b, v, isUp); }

// ---- Shifts by the width or more give 0, or the sign.
template <llvm::Instruction::BinaryOps opcode> llvm::Value *shift(llvm::IRBuilder<> &b, Operands v) {
  llvm::Value *width = number(v[0], bitsOf(v[0]));
  if (bitsOf(v[0]) == 1) // the width is no number of one bit
    return opcode == llvm::Instruction::AShr ? v[0] : b.CreateAnd(v[0], b.CreateNot(v[1]));
  llvm::Value *isIn = b.CreateICmpULT(v[1], width);
  llvm::Value *safe =
      b.CreateSelect(isIn, v[1], number(v[0], opcode == llvm::Instruction::AShr ? bitsOf(v[0]) - 1 : 0));
  llvm::Value *result = b.CreateBinOp(opcode, v[0], safe);
  return opcode == llvm::Instruction::AShr ? result : b.CreateSelect(isIn, result, number(v[0], 0));
}

// ---- Bits.
llvm::Value *absolute(llvm::IRBuilder<> &b, Operands v) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], b.getFalse());
}
llvm::Value *leadingZeros(llvm::IRBuilder<> &b, Operands v) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, v[0], b.getFalse());
}
llvm::Value *trailingZeros(llvm::IRBuilder<> &b, Operands v) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, v[0], b.getFalse());
}

llvm::Value *negate(llvm::IRBuilder<> &b, Operands v) { return b.CreateFNeg(v[0]); }
llvm::Value *clamp(llvm::IRBuilder<> &b, Operands v) {
  llvm::Value *atLeast = b.CreateBinaryIntrinsic(llvm::Intrinsic::maximumnum, v[0], v[1]);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::minimumnum, atLeast, v[2]);
}

const llvm::StringMap<Emit> &plainOps() {
  using I = llvm::Instruction;
  namespace in = llvm::Intrinsic;
  static const llvm::StringMap<Emit> kOps = {
      {"arith.addi", binary<I::Add>},
      {"arith.subi", binary<I::Sub>},
      {"arith.muli", binary<I::Mul>},
      {"arith.andi", binary<I::And>},
      {"arith.ori", binary<I::Or>},
      {"arith.xori", binary<I::Xor>},
      {"arith.addf", binary<I::FAdd>},
      {"arith.subf", binary<I::FSub>},
      {"arith.mulf", binary<I::FMul>},
      {"arith.divf", binary<I::FDiv>},
      {"tile.div_rn", binary<I::FDiv>},
      {"arith.negf", negate},
      {"arith.divsi", quotient<true>},
      {"arith.divui", quotient<false>},
      {"arith.remsi", remainder<true>},
      {"arith.remui", remainder<false>},
      {"arith.floordivsi", rounded<false>},
      {"arith.ceildivsi", rounded<true>},
      {"arith.ceildivui", ceilUnsigned},
      {"arith.shli", shift<I::Shl>},
      {"arith.shrui", shift<I::LShr>},
      {"arith.shrsi", shift<I::AShr>},
      {"arith.maxsi", intrinsic2<in::smax>},
      {"arith.minsi", intrinsic2<in::smin>},
      {"arith.maxui", intrinsic2<in::umax>},
      {"arith.minui", intrinsic2<in::umin>},
      {"arith.maximumf", intrinsic2<in::maximum>},
      {"arith.minimumf", intrinsic2<in::minimum>},
      {"arith.maxnumf", intrinsic2<in::maximumnum>},
      {"arith.minnumf", intrinsic2<in::minimumnum>},
      {"math.clampf", clamp},
      {"math.absi", absolute},
      {"math.ctlz", leadingZeros},
      {"math.cttz", trailingZeros},
      {"math.ctpop", intrinsic1<in::ctpop>},
      {"math.absf", intrinsic1<in::fabs>},
      {"math.copysign", intrinsic2<in::copysign>},
      {"math.sqrt", intrinsic1<in::sqrt>},
      {"tile.sqrt_rn", intrinsic1<in::sqrt>},
  };
  return kOps;
}

} // namespace

llvm::Value *emitArithmetic(llvm::IRBuilder<> &builder, llvm::StringRef name, Operands operands) {
  auto found = plainOps().find(name);
  return found == plainOps().end() ? nullptr : found->second(builder, operands);
}

llvm::CmpInst::Predicate predicateOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  using C = llvm::CmpInst;
  switch (predicate) {
  case P::eq: return C::ICMP_EQ;
  case P::ne: return C::ICMP_NE;
  case P::slt: return C::ICMP_SLT;
  case P::sle: return C::ICMP_SLE;
  case P::sgt: return C::ICMP_SGT;
  case P::sge: return C::ICMP_SGE;
  case P::ult: return C::ICMP_ULT;
  case P::ule: return C::ICMP_ULE;
  case P::ugt: return C::ICMP_UGT;
  case P::uge: return C::ICMP_UGE;
  }
  return C::ICMP_EQ;
}

llvm::CmpInst::Predicate predicateOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  using C = llvm::CmpInst;
  switch (predicate) {
  case P::AlwaysFalse: return C::FCMP_FALSE;
  case P::OEQ: return C::FCMP_OEQ;
  case P::OGT: return C::FCMP_OGT;
  case P::OGE: return C::FCMP_OGE;
  case P::OLT: return C::FCMP_OLT;
  case P::OLE: return C::FCMP_OLE;
  case P::ONE: return C::FCMP_ONE;
  case P::ORD: return C::FCMP_ORD;
  case P::UEQ: return C::FCMP_UEQ;
  case P::UGT: return C::FCMP_UGT;
  case P::UGE: return C::FCMP_UGE;
  case P::ULT: return C::FCMP_ULT;
  case P::ULE: return C::FCMP_ULE;
  case P::UNE: return C::FCMP_UNE;
  case P::UNO: return C::FCMP_UNO;
  case P::AlwaysTrue: return C::FCMP_TRUE;
  }
  return C::FCMP_FALSE;
}

// By 0 the rest is the dividend: no magnitude reaches what 0 is taken for. A constant has a number for each register.
llvm::Value *emitRestAlone(llvm::IRBuilder<> &b, llvm::Value *dividend, llvm::Value *divisor) {
  llvm::Value *zero = number(dividend, 0), *one = number(dividend, 1), *most = number(dividend, -1);
  llvm::Value *isZero = b.CreateICmpEQ(divisor, zero);
  if (llvm::isa<llvm::Constant>(divisor)) {
    llvm::Value *hasNoRest = b.CreateOr(isZero, b.CreateICmpEQ(divisor, most)); // -1 overflows
    return b.CreateSelect(isZero, dividend, b.CreateSRem(dividend, b.CreateSelect(hasNoRest, one, divisor)));
  }
  llvm::Value *size = b.CreateURem(magnitude(b, dividend), b.CreateSelect(isZero, most, magnitude(b, divisor)));
  return b.CreateSelect(b.CreateICmpSLT(dividend, zero), b.CreateNeg(size), size);
}

llvm::Value *emitToInteger(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Type *to, bool isSigned) {
  if (to->getScalarSizeInBits() == 1) {
    llvm::Value *bound = llvm::ConstantFP::get(value->getType(), isSigned ? -1.0 : 1.0);
    return isSigned ? builder.CreateFCmpOLE(value, bound) : builder.CreateFCmpOGE(value, bound);
  }
  return terms::saturate(builder, value, to, isSigned);
}

std::optional<NarrowFloat> narrowFloatOf(Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isF16())
    return NarrowFloat::F16;
  if (type.isBF16())
    return NarrowFloat::BF16;
  if (isa<Float8E4M3FNType>(type))
    return NarrowFloat::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return NarrowFloat::F8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return NarrowFloat::F8E4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(type))
    return NarrowFloat::F8E5M2FNUZ;
  if (isa<Float8E4M3B11FNUZType>(type))
    return NarrowFloat::F8E4M3B11FNUZ;
  return std::nullopt;
}

llvm::Type *withLanes(llvm::Type *type, llvm::Value *like) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector ? llvm::FixedVectorType::get(type, vector->getNumElements()) : type;
}

} // namespace nereid::codegen
