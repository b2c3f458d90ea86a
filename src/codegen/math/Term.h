// Term.h: arithmetic on LLVM values that reads like the maths. A term is a scalar or a vector; plain numbers beside it
// become constants of its type. Every operation rounds once, whatever fast-math flags the builder carries outside.
#pragma once

#include "codegen/math/MathTarget.h"

#include "llvm/IR/IRBuilder.h"

#include <concepts>
#include <initializer_list>
#include <limits>

namespace nereid::codegen::terms {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                        kNaN = std::numeric_limits<double>::quiet_NaN();
// log(2) in two parts: the first ends in zeros, so that its product with an exponent is exact.
inline constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;

// What code is emitted with.
struct MathCode {
  llvm::IRBuilderBase &builder;
  const MathTarget &target;
};

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

class Term {
public:
  Term(MathCode &code, llvm::Value *value) : code(&code), value(value) {}

  llvm::Type *type() const { return value->getType(); }
  unsigned elementBits() const { return type()->getScalarSizeInBits(); }
  bool isFloat() const { return type()->isFPOrFPVectorTy(); }
  bool isDouble() const { return type()->getScalarType()->isDoubleTy(); }
  // 1 for a scalar.
  unsigned lanes() const;
  // The same number of lanes of another element type.
  llvm::Type *typeOf(llvm::Type *element) const;
  llvm::Type *integerType(unsigned bits) const;

  // A constant of this type.
  Term like(Number auto number) const {
    if (isFloat())
      return constant(double(number));
    return integer(uint64_t(number));
  }
  Term with(llvm::Value *other) const { return {*code, other}; }

  MathCode *code;
  llvm::Value *value;

private:
  Term constant(double number) const;
  Term integer(uint64_t number) const;
};

// Arithmetic; on integers it wraps. Comparisons of integers are signed, those of floats false for NaN (`!=` true).
Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator/(Term a, Term b);
Term operator-(Term a);
Term operator&(Term a, Term b);
Term operator|(Term a, Term b);
Term operator^(Term a, Term b);
Term operator~(Term a);
Term operator<(Term a, Term b);
Term operator<=(Term a, Term b);
Term operator>(Term a, Term b);
Term operator>=(Term a, Term b);
Term operator==(Term a, Term b);
Term operator!=(Term a, Term b);
Term operator<<(Term a, unsigned count);
Term operator>>(Term a, unsigned count); // logical
Term shiftRightSigned(Term a, unsigned count);

Term operator+(Term a, Number auto b) { return a + a.like(b); }
Term operator-(Term a, Number auto b) { return a - a.like(b); }
Term operator*(Term a, Number auto b) { return a * a.like(b); }
Term operator/(Term a, Number auto b) { return a / a.like(b); }
Term operator+(Number auto a, Term b) { return b.like(a) + b; }
Term operator-(Number auto a, Term b) { return b.like(a) - b; }
Term operator*(Number auto a, Term b) { return b.like(a) * b; }
Term operator/(Number auto a, Term b) { return b.like(a) / b; }
Term operator&(Term a, std::integral auto b) { return a & a.like(b); }
Term operator|(Term a, std::integral auto b) { return a | a.like(b); }
Term operator^(Term a, std::integral auto b) { return a ^ a.like(b); }
Term operator<(Term a, Number auto b) { return a < a.like(b); }
Term operator<=(Term a, Number auto b) { return a <= a.like(b); }
Term operator>(Term a, Number auto b) { return a > a.like(b); }
Term operator>=(Term a, Number auto b) { return a >= a.like(b); }
Term operator==(Term a, Number auto b) { return a == a.like(b); }
Term operator!=(Term a, Number auto b) { return a != a.like(b); }

Term select(Term condition, Term yes, Term no);
Term select(Term condition, Number auto yes, Term no) { return select(condition, no.like(yes), no); }
Term select(Term condition, Term yes, Number auto no) { return select(condition, yes, yes.like(no)); }

Term isNaN(Term a);
Term abs(Term a);
Term copySign(Term magnitude, Term sign);
Term sqrt(Term a);
// One instruction each on x86; `bound` is returned where it is the smaller (larger) one, so that a NaN in `a` stays.
Term atMost(Term a, Term bound);
Term atLeast(Term a, Term bound);
Term atMost(Term a, Number auto bound) { return atMost(a, a.like(bound)); }
Term atLeast(Term a, Number auto bound) { return atLeast(a, a.like(bound)); }

// a * b + c: rounded once where the target has the instruction, twice elsewhere. `hasFma` tells which.
Term fma(Term a, Term b, Term c);
Term fma(Term a, Number auto b, Term c) { return fma(a, a.like(b), c); }
Term fma(Term a, Term b, Number auto c) { return fma(a, b, a.like(c)); }
Term fma(Term a, Number auto b, Number auto c) { return fma(a, a.like(b), a.like(c)); }
bool hasFma(Term a);

// c[0] x^(n-1) + … + c[n-1].
Term polynomial(Term x, std::initializer_list<double> coefficients);

Term bits(Term a);                  // of a float, as an integer of its width
Term asFloat(Term a);               // and back
Term toFloat(Term a);               // a signed integer, to the float of its width
Term toInteger(Term a);             // cut off; undefined in lanes where it does not fit
Term resize(Term a, unsigned bits); // an integer, cut or extended with zeros
Term toDouble(Term a);
Term toSingle(Term a);

} // namespace nereid::codegen::terms
