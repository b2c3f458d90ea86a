// SemanticOperator.cpp: + - * / // % & | ^ << >> and the unary operators on run-time values.
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nereid::lang {

using namespace mlir;
using syntax::BinaryOperator;

namespace {

std::string_view spelling(BinaryOperator op) {
  static constexpr std::string_view kSpellings[] = {"+",  "-",  "*", "@", "/", "%", "**",
                                                    "<<", ">>", "|", "^", "&", "//"};
  return kSpellings[static_cast<size_t>(op)];
}

template <class Op> mlir::Value fold(Emitter &emitter, const Tensor &a, const Tensor &b) {
  return emitter.fold<Op>(a.ir, b.ir);
}

mlir::Value foldInteger(Emitter &emitter, BinaryOperator op, const Tensor &a, const Tensor &b) {
  bool isSigned = a.type.isSignedInt();
  switch (op) {
  case BinaryOperator::Add: return fold<arith::AddIOp>(emitter, a, b);
  case BinaryOperator::Sub: return fold<arith::SubIOp>(emitter, a, b);
  case BinaryOperator::Mult: return fold<arith::MulIOp>(emitter, a, b);
  case BinaryOperator::FloorDiv:
    return isSigned ? fold<arith::DivSIOp>(emitter, a, b) : fold<arith::DivUIOp>(emitter, a, b);
  case BinaryOperator::Mod: return isSigned ? fold<arith::RemSIOp>(emitter, a, b) : fold<arith::RemUIOp>(emitter, a, b);
  case BinaryOperator::BitAnd: return fold<arith::AndIOp>(emitter, a, b);
  case BinaryOperator::BitOr: return fold<arith::OrIOp>(emitter, a, b);
  case BinaryOperator::BitXor: return fold<arith::XOrIOp>(emitter, a, b);
  case BinaryOperator::LShift: return fold<arith::ShLIOp>(emitter, a, b);
  default: return {};
  }
}

mlir::Value foldFloat(Emitter &emitter, BinaryOperator op, const Tensor &a, const Tensor &b) {
  switch (op) {
  case BinaryOperator::Add: return fold<arith::AddFOp>(emitter, a, b);
  case BinaryOperator::Sub: return fold<arith::SubFOp>(emitter, a, b);
  case BinaryOperator::Mult: return fold<arith::MulFOp>(emitter, a, b);
  case BinaryOperator::Div: return fold<arith::DivFOp>(emitter, a, b);
  case BinaryOperator::Mod: return fold<arith::RemFOp>(emitter, a, b);
  default: return {};
  }
}

[[noreturn]] void failOperator(Emitter &emitter, BinaryOperator op, const Type &type,
                               std::vector<std::string> notes = {}) {
  emitter.fail("invalid operands of type " + type.scalar().shortName() + " for `" + std::string(spelling(op)) + "`",
               std::move(notes), "TypeError");
}

// With `debug`, + - * of narrow integers also run in 64 bits, where they cannot overflow, and the results must agree.
void checkOverflow(Emitter &emitter, BinaryOperator op, const Tensor &a, const Tensor &b, const Tensor &result) {
  if (!emitter.options.debug || !emitter.options.sanitizeOverflow || a.type.bitWidth() >= 64)
    return;
  Tensor wideA = castTo(emitter, a, Scalar::Int64), wideB = castTo(emitter, b, Scalar::Int64);
  mlir::Value exact = foldInteger(emitter, op, wideA, wideB);
  Tensor wrapped = castTo(emitter, result, Scalar::Int64);
  mlir::Value holds = emitter.fold<arith::CmpIOp>(arith::CmpIPredicate::eq, exact, wrapped.ir);
  std::string message = "int" + std::to_string(a.type.bitWidth()) + " overflow detected for operation " +
                        (op == BinaryOperator::Add   ? "add"
                         : op == BinaryOperator::Sub ? "sub"
                                                     : "mul");
  emitter.create<tile::AssertOp>(holds, message, mlir::Value());
}

Value emitPointerOffset(Emitter &emitter, BinaryOperator op, Tensor pointer, Tensor offset) {
  if (pointer.type.isPointer() && offset.type.isPointer())
    emitter.fail(
        "two pointers cannot be " + std::string(op == BinaryOperator::Add ? "added" : "subtracted"),
        {"add what they point to: `tl.load(a) + tl.load(b)`; to compute with addresses, cast both to `tl.int64`"},
        "TypeError");
  if (offset.type.isPointer()) {
    if (op == BinaryOperator::Sub)
      emitter.fail("a pointer cannot be subtracted from a number", {}, "TypeError");
    std::swap(pointer, offset);
  }
  if (op == BinaryOperator::Sub)
    offset = emitUnary(emitter, syntax::UnaryOperator::USub, offset).tensor();
  // An offset counts as signed, so a narrow unsigned one is widened first.
  if (offset.type.isUnsignedInt() && offset.type.bitWidth() < 64)
    offset = castTo(emitter, offset, Scalar::Int64);
  return Tensor{emitter.fold<tile::AddPtrOp>(pointer.ir, offset.ir), pointer.type};
}

bool isPointer(const Value &value) { return value.isTensor() && value.tensor().type.isPointer(); }

bool isBitwise(BinaryOperator op) {
  return op == BinaryOperator::BitAnd || op == BinaryOperator::BitOr || op == BinaryOperator::BitXor ||
         op == BinaryOperator::LShift || op == BinaryOperator::RShift;
}

// `>>` keeps the sign when the shifted tensor is signed (or, for a constant, when the amount is).
mlir::Value emitRightShift(Emitter &emitter, const Value &lhs, const Value &rhs, const Tensor &a, const Tensor &b) {
  bool isSigned = (lhs.isTensor() ? lhs : rhs).tensor().type.isSignedInt();
  return isSigned ? fold<arith::ShRSIOp>(emitter, a, b) : fold<arith::ShRUIOp>(emitter, a, b);
}

Value emitFloat(Emitter &emitter, BinaryOperator op, const Tensor &a, const Tensor &b) {
  // fp8e4b15 is an integer in the IR: its arithmetic is that of fp16.
  if (a.type.scalarKind() == Scalar::Fp8E4B15) {
    Tensor wideA = castTo(emitter, a, Scalar::Fp16), wideB = castTo(emitter, b, Scalar::Fp16);
    return castTo(emitter, emitFloat(emitter, op, wideA, wideB).tensor(), Scalar::Fp8E4B15);
  }
  mlir::Value result = foldFloat(emitter, op, a, b);
  if (!result)
    failOperator(emitter, op, a.type,
                 {op == BinaryOperator::FloorDiv
                      ? "use `tl.floor(x / y)`"
                      : "cast to an integer type, or reinterpret with `.to(type, bitcast=True)`"});
  return Tensor{result, a.type};
}

} // namespace

Value emitBinary(Emitter &emitter, BinaryOperator op, const Value &lhs, const Value &rhs, bool sanitizeOverflow) {
  if (op == BinaryOperator::Pow)
    emitter.fail("`**` is not defined for tensors", {"multiply, or call `pow` of `tl.extra.libdevice`"}, "TypeError");
  if (op == BinaryOperator::MatMult)
    emitter.fail("`@` is not defined for tensors", {"call `tl.dot`"}, "TypeError");
  bool allowPointers = op == BinaryOperator::Add || op == BinaryOperator::Sub;
  bool isDivision = op == BinaryOperator::Div || op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  auto [a, b] = promoteOperands(emitter, lhs, rhs, isDivision, allowPointers);
  if (isPointer(a) || isPointer(b))
    return emitPointerOffset(emitter, op, a, b);
  if (op == BinaryOperator::Div && a.type.isInt()) {
    a = castTo(emitter, a, Scalar::Fp32);
    b = castTo(emitter, b, Scalar::Fp32);
  }
  if (a.type.isFloat() && !isBitwise(op))
    return emitFloat(emitter, op, a, b);
  if (!a.type.isInt())
    failOperator(emitter, op, a.type, {"cast to an integer type, or reinterpret with `.to(type, bitcast=True)`"});
  if (op == BinaryOperator::RShift)
    return Tensor{emitRightShift(emitter, lhs, rhs, a, b), a.type};
  Tensor result{foldInteger(emitter, op, a, b), a.type};
  if (sanitizeOverflow && (op == BinaryOperator::Add || op == BinaryOperator::Sub || op == BinaryOperator::Mult))
    checkOverflow(emitter, op, a, b, result);
  return result;
}

Value emitUnary(Emitter &emitter, syntax::UnaryOperator op, const Tensor &operand) {
  const Type &type = operand.type;
  switch (op) {
  case syntax::UnaryOperator::USub: {
    if (type.isPointer())
      emitter.fail("unary `-` is not defined for type " + type.scalar().shortName());
    // 0 - x, which differs from a change of sign only in the zero: Triton's meaning.
    Tensor zero = constant(emitter, type, 0);
    return type.isFloat() ? emitFloat(emitter, BinaryOperator::Sub, zero, operand)
                          : Value(Tensor{emitter.fold<arith::SubIOp>(zero.ir, operand.ir), type});
  }
  case syntax::UnaryOperator::Not:
    if (type.isPointer()) // whether there is none
      return emitUnary(emitter, op, castTo(emitter, operand, Scalar::Int1));
    if (!type.isBool())
      emitter.fail("`not` is defined for booleans, got " + type.shortName(), {"compare: `x == 0`"});
    [[fallthrough]];
  case syntax::UnaryOperator::Invert: {
    if (!type.isInt())
      emitter.fail("`~` is not defined for type " + type.scalar().shortName());
    mlir::Value ones =
        constant(emitter, type, type.isSignedInt() ? Value(-1) : Value((Integer(1) << type.bitWidth()) - 1)).ir;
    return Tensor{emitter.fold<arith::XOrIOp>(operand.ir, ones), type};
  }
  case syntax::UnaryOperator::UAdd: emitter.fail("unary `+` is not defined for tensors", {"leave it out"}, "TypeError");
  }
  return {};
}

} // namespace nereid::lang
