// Term.cpp: the operations of Term.h as instructions.
#include "codegen/math/Term.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Intrinsics.h"

namespace nereid::codegen::terms {

using llvm::CmpInst;

unsigned Term::lanes() const {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type());
  return vector ? vector->getNumElements() : 1;
}

llvm::Type *Term::typeOf(llvm::Type *element) const {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type());
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
}

llvm::Type *Term::integerType(unsigned bits) const { return typeOf(code->builder.getIntNTy(bits)); }

Term Term::constant(double number) const { return with(llvm::ConstantFP::get(type(), number)); }

Term Term::integer(uint64_t number) const {
  return with(llvm::ConstantInt::get(type(), llvm::APInt(elementBits(), number, false, /*implicitTrunc=*/true)));
}

namespace {

// The builder, without the fast-math flags of its surroundings: sums and products here are exact on purpose.
class Exact {
public:
  explicit Exact(Term term) : builder(term.code->builder), guard(builder) { builder.clearFastMathFlags(); }
  llvm::IRBuilderBase *operator->() { return &builder; }

private:
  llvm::IRBuilderBase &builder;
  llvm::IRBuilderBase::FastMathFlagGuard guard;
};

Term compare(Term a, Term b, CmpInst::Predicate ofFloats, CmpInst::Predicate ofIntegers) {
  return a.with(Exact(a)->CreateCmp(a.isFloat() ? ofFloats : ofIntegers, a.value, b.value));
}

} // namespace

Term operator+(Term a, Term b) {
  Exact builder(a);
  return a.with(a.isFloat() ? builder->CreateFAdd(a.value, b.value) : builder->CreateAdd(a.value, b.value));
}

Term operator-(Term a, Term b) {
  Exact builder(a);
  return a.with(a.isFloat() ? builder->CreateFSub(a.value, b.value) : builder->CreateSub(a.value, b.value));
}

Term operator*(Term a, Term b) {
  Exact builder(a);
  return a.with(a.isFloat() ? builder->CreateFMul(a.value, b.value) : builder->CreateMul(a.value, b.value));
}

Term operator/(Term a, Term b) { return a.with(Exact(a)->CreateFDiv(a.value, b.value)); }

Term operator-(Term a) {
  Exact builder(a);
  return a.with(a.isFloat() ? builder->CreateFNeg(a.value) : builder->CreateNeg(a.value));
}

Term operator&(Term a, Term b) { return a.with(Exact(a)->CreateAnd(a.value, b.value)); }
Term operator|(Term a, Term b) { return a.with(Exact(a)->CreateOr(a.value, b.value)); }
Term operator^(Term a, Term b) { return a.with(Exact(a)->CreateXor(a.value, b.value)); }
Term operator~(Term a) { return a.with(Exact(a)->CreateNot(a.value)); }
Term operator<<(Term a, unsigned count) { return a.with(Exact(a)->CreateShl(a.value, a.like(count).value)); }
Term operator>>(Term a, unsigned count) { return a.with(Exact(a)->CreateLShr(a.value, a.like(count).value)); }
Term shiftRightSigned(Term a, unsigned count) { return a.with(Exact(a)->CreateAShr(a.value, a.like(count).value)); }

Term operator<(Term a, Term b) { return compare(a, b, CmpInst::FCMP_OLT, CmpInst::ICMP_SLT); }
Term operator<=(Term a, Term b) { return compare(a, b, CmpInst::FCMP_OLE, CmpInst::ICMP_SLE); }
Term operator>(Term a, Term b) { return compare(a, b, CmpInst::FCMP_OGT, CmpInst::ICMP_SGT); }
Term operator>=(Term a, Term b) { return compare(a, b, CmpInst::FCMP_OGE, CmpInst::ICMP_SGE); }
Term operator==(Term a, Term b) { return compare(a, b, CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ); }
Term operator!=(Term a, Term b) { return compare(a, b, CmpInst::FCMP_UNE, CmpInst::ICMP_NE); }

Term select(Term condition, Term yes, Term no) {
  return yes.with(Exact(yes)->CreateSelect(condition.value, yes.value, no.value));
}

Term isNaN(Term a) { return a.with(Exact(a)->CreateFCmpUNO(a.value, a.value)); }
Term abs(Term a) { return a.with(Exact(a)->CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a.value)); }
Term sqrt(Term a) { return a.with(Exact(a)->CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a.value)); }
Term copySign(Term magnitude, Term sign) {
  return magnitude.with(
      Exact(magnitude)->CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude.value, sign.value));
}
Term atMost(Term a, Term bound) { return select(bound < a, bound, a); }
Term atLeast(Term a, Term bound) { return select(bound > a, bound, a); }

bool hasFma(Term a) { return a.code->target.hasFma; }

Term fma(Term a, Term b, Term c) {
  if (!hasFma(a))
    return a * b + c;
  return a.with(Exact(a)->CreateIntrinsic(a.type(), llvm::Intrinsic::fma, {a.value, b.value, c.value}));
}

// Every second coefficient, from the last but `from` on, as a polynomial of the square.
static Term everySecond(Term square, llvm::ArrayRef<double> coefficients, size_t from) {
  size_t first = (coefficients.size() - 1 - from) % 2;
  Term sum = square.like(coefficients[first]);
  for (size_t i = first + 2; i < coefficients.size(); i += 2)
    sum = fma(sum, square, coefficients[i]);
  return sum;
}

Term polynomial(Term x, std::initializer_list<double> coefficients) {
  // A GPU has few doubles under way at a time, and waits for each: two halves wait together.
  constexpr size_t kLong = 8;
  if (x.code->target.isNvidia && x.isDouble() && coefficients.size() >= kLong) {
    Term square = x * x;
    return fma(everySecond(square, coefficients, 1), x, everySecond(square, coefficients, 0));
  }
  Term sum = x.like(*coefficients.begin());
  for (const double *c = coefficients.begin() + 1; c != coefficients.end(); ++c)
    sum = fma(sum, x, *c);
  return sum;
}

Term bits(Term a) { return a.with(Exact(a)->CreateBitCast(a.value, a.integerType(a.elementBits()))); }

static llvm::Type *floatOfWidth(Term a) {
  llvm::IRBuilderBase &builder = a.code->builder;
  return a.typeOf(a.elementBits() == 64 ? builder.getDoubleTy() : builder.getFloatTy());
}

Term asFloat(Term a) { return a.with(Exact(a)->CreateBitCast(a.value, floatOfWidth(a))); }
Term toFloat(Term a) { return a.with(Exact(a)->CreateSIToFP(a.value, floatOfWidth(a))); }
Term toInteger(Term a) { return a.with(Exact(a)->CreateFPToSI(a.value, a.integerType(a.elementBits()))); }
Term resize(Term a, unsigned bits) { return a.with(Exact(a)->CreateZExtOrTrunc(a.value, a.integerType(bits))); }
Term toDouble(Term a) { return a.with(Exact(a)->CreateFPExt(a.value, a.typeOf(a.code->builder.getDoubleTy()))); }
Term toSingle(Term a) { return a.with(Exact(a)->CreateFPTrunc(a.value, a.typeOf(a.code->builder.getFloatTy()))); }

} // namespace nereid::codegen::terms
