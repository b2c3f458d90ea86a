// Math.cpp: elementwise mathematics: exponentials, roots, trigonometry, rounding, exact division. As in Triton, most
// of it is for fp32 and fp64 alone: narrower floats have to be converted by the user, who then sees the cost.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"
#include "lang/evaluate/ConstEval.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::lang {
namespace {

using syntax::BinaryOperator;

// The tensor of a method stands where the call stands.
bool isMethod(Emitter &emitter, const BoundArguments &args) {
  SourceRange self = args.range(0), call = emitter.session.place();
  return self.begin == call.begin && self.end == call.end;
}

// `x.exp()` takes halves too, as in Triton, which looks at the types of `tl.exp(x)` alone: it computes in fp32 and rounds.
template <class Op> Value emitFloat(Emitter &emitter, const BoundArguments &args) {
  Tensor given = toTensor(emitter, args[0]);
  Scalar kind = given.type.scalarKind();
  if ((kind == Scalar::Fp16 || kind == Scalar::Bf16) && isMethod(emitter, args)) {
    Tensor wide = castTo(emitter, given, Scalar::Fp32);
    return castTo(emitter, Tensor{emitter.create<Op>(wide.ir).getResult(), wide.type}, kind);
  }
  Tensor x = floatArgument(emitter, args, 0);
  return Tensor{emitter.create<Op>(x.ir).getResult(), x.type};
}

Value emitSqrtRn(Emitter &emitter, const BoundArguments &args) {
  Tensor x = toTensor(emitter, args[0]);
  if (x.type.scalarKind() != Scalar::Fp32)
    failType(emitter, args, 0, "f32", x.type, "float32");
  return Tensor{emitter.create<tile::SqrtRnOp>(x.ir.getType(), x.ir), x.type};
}

Value emitAbs(Emitter &emitter, const BoundArguments &args) {
  if (args[0].isConstant() && args[0].number()) {
    bool isNegative = emitter.constEval.truth(emitter.constEval.compare(syntax::CompareOperator::Lt, args[0], 0));
    return isNegative ? emitter.constEval.unary(syntax::UnaryOperator::USub, args[0]) : args[0];
  }
  Tensor x = toTensor(emitter, args[0]);
  if (x.type.scalarKind() == Scalar::Fp8E4B15) { // has no float type in the IR: clear the sign bit
    Tensor bits = bitcastTo(emitter, x, Scalar::UInt8);
    return bitcastTo(emitter, emitBinary(emitter, BinaryOperator::BitAnd, bits, 0x7f).tensor(), Scalar::Fp8E4B15);
  }
  if (x.type.isFloat())
    return Tensor{emitter.create<mlir::math::AbsFOp>(x.ir), x.type};
  if (x.type.isSignedInt())
    return Tensor{emitter.create<mlir::math::AbsIOp>(x.ir), x.type};
  if (!x.type.isInt())
    failType(emitter, args, 0, "a number", x.type);
  return x;
}

Value emitUmulhi(Emitter &emitter, const BoundArguments &args) {
  Tensor x = toTensor(emitter, args[0]), y = toTensor(emitter, args[1]);
  const Tensor *operands[] = {&x, &y};
  for (size_t i = 0; i < 2; ++i)
    if (!operands[i]->type.isInt() || operands[i]->type.bitWidth() < 32)
      failType(emitter, args, i, "integers of 32 or 64 bits", operands[i]->type,
               operands[i]->type.isInt() ? "uint32" : "");
  std::tie(x, y) = promoteOperands(emitter, x, y);
  return Tensor{emitter.create<mlir::arith::MulUIExtendedOp>(x.ir, y.ir).getHigh(), x.type};
}

std::pair<Tensor, Tensor> floatOperands(Emitter &emitter, const BoundArguments &args, std::string_view expected) {
  Tensor x = toTensor(emitter, args[0]), y = toTensor(emitter, args[1]);
  if (!x.type.isFloat())
    failType(emitter, args, 0, expected, x.type, x.type.isPointer() ? "" : "float32");
  if (!y.type.isFloat())
    failType(emitter, args, 1, expected, y.type, y.type.isPointer() ? "" : "float32");
  return promoteOperands(emitter, x, y);
}

Value emitFdiv(Emitter &emitter, const BoundArguments &args) {
  auto [x, y] = floatOperands(emitter, args, "floating point operands");
  if (x.type.isFp8())
    failType(emitter, args, 0, "f16 or wider", x.type, "float16");
  if (boolArgument(emitter, args, 2))
    return Tensor{emitter.create<tile::DivRnOp>(x.ir.getType(), x.ir, y.ir), x.type};
  return Tensor{emitter.create<mlir::arith::DivFOp>(x.ir, y.ir), x.type};
}

Value emitDivRn(Emitter &emitter, const BoundArguments &args) {
  for (size_t i = 0; i < 2; ++i)
    if (args[i].isTensor() && args[i].tensor().type.scalarKind() != Scalar::Fp32)
      failType(emitter, args, i, "f32", args[i].tensor().type, "float32");
  auto [x, y] = floatOperands(emitter, args, "f32");
  return Tensor{emitter.create<tile::DivRnOp>(x.ir.getType(), x.ir, y.ir), x.type};
}

Value emitFma(Emitter &emitter, const BoundArguments &args) {
  Tensor x = toTensor(emitter, args[0]), y = toTensor(emitter, args[1]), z = toTensor(emitter, args[2]);
  std::tie(x, y) = promoteOperands(emitter, x, y);
  std::tie(z, x) = promoteOperands(emitter, z, x);
  std::tie(z, y) = promoteOperands(emitter, z, y);
  if (!x.type.isFloat())
    failType(emitter, args, 0, "floating point operands", x.type, "float32");
  if (x.type.isFp8())
    failType(emitter, args, 0, "f16 or wider", x.type, "float16");
  return Tensor{emitter.create<mlir::math::FmaOp>(x.ir, y.ir, z.ir), x.type};
}

// (x + (div - 1)) // div, at compile time when both are constants.
Value emitCdiv(Emitter &emitter, const BoundArguments &args) {
  auto operate = [&](BinaryOperator op, const Value &a, const Value &b) {
    return a.isTensor() || b.isTensor() ? emitBinary(emitter, op, a, b) : emitter.constEval.binary(op, a, b);
  };
  for (size_t i : {0, 1})
    if (args[i].isTensor() && !args[i].tensor().type.isInt())
      emitter.failAt(args.range(i), "`cdiv` needs integers, got " + args[i].tensor().type.shortName(),
                     {"for floats, write `tl.ceil(x / y)`"}, "TypeError");
  Value last = operate(BinaryOperator::Sub, args[1], 1);
  return operate(BinaryOperator::FloorDiv, operate(BinaryOperator::Add, args[0], last), args[1]);
}

// 1 / (1 + exp(-x))
Value emitSigmoid(Emitter &emitter, const BoundArguments &args) {
  Tensor x = floatArgument(emitter, args, 0);
  Tensor negative = emitUnary(emitter, syntax::UnaryOperator::USub, x).tensor();
  Tensor exponential{emitter.create<mlir::math::ExpOp>(negative.ir), x.type};
  return emitBinary(emitter, BinaryOperator::Div, 1, emitBinary(emitter, BinaryOperator::Add, 1, exponential));
}

constexpr bool kMathMember = true;

constexpr Builtin kMathRows[] = {
    {"exp(x)", "e to the power of each element.", emitFloat<mlir::math::ExpOp>, kMathMember},
    {"exp2(x)", "2 to the power of each element.", emitFloat<mlir::math::Exp2Op>, kMathMember},
    {"log(x)", "Natural logarithm.", emitFloat<mlir::math::LogOp>, kMathMember},
    {"log2(x)", "Logarithm to base 2.", emitFloat<mlir::math::Log2Op>, kMathMember},
    {"cos(x)", "Cosine of an angle in radians.", emitFloat<mlir::math::CosOp>, kMathMember},
    {"sin(x)", "Sine of an angle in radians.", emitFloat<mlir::math::SinOp>, kMathMember},
    {"sqrt(x)", "Square root; may be approximate on a GPU.", emitFloat<mlir::math::SqrtOp>, kMathMember},
    {"sqrt_rn(x)", "Square root, rounded to nearest even.", emitSqrtRn, kMathMember},
    {"rsqrt(x)", "One over the square root.", emitFloat<mlir::math::RsqrtOp>, kMathMember},
    {"erf(x)", "Error function.", emitFloat<mlir::math::ErfOp>, kMathMember},
    {"floor(x)", "Largest whole number that is not above each element.", emitFloat<mlir::math::FloorOp>, kMathMember},
    {"ceil(x)", "Smallest whole number that is not below each element.", emitFloat<mlir::math::CeilOp>, kMathMember},
    {"abs(x)", "Absolute value of floats and integers.", emitAbs, kMathMember},
    {"umulhi(x, y)", "Upper half of the unsigned product of 32 or 64-bit integers.", emitUmulhi},
    {"fdiv(x, y, ieee_rounding=False, approx=False)", "Division of floats; may be approximate on a GPU.", emitFdiv},
    {"div_rn(x, y)", "Division of fp32, rounded to nearest even.", emitDivRn},
    {"fma(x, y, z)", "x * y + z with one rounding.", emitFma},
    {"cdiv(x, div)", "Quotient of integers, rounded up.", emitCdiv, kMathMember},
    {"sigmoid(x)", "1 / (1 + exp(-x)).", emitSigmoid, kMathMember},
};

} // namespace

BuiltinTable mathBuiltins() { return {"tl", kMathRows}; }
BuiltinTable mathModuleBuiltins() { return {"tl.math", kMathRows}; }

} // namespace nereid::lang
