// SemanticCompare.cpp: comparisons, elementwise `and` and `or`, conditions, and `tl.where`.
#include "lang/semantic/Semantic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nereid::lang {

using namespace mlir;
using syntax::CompareOperator;

namespace {

arith::CmpIPredicate integerPredicate(CompareOperator op, bool isSigned) {
  using enum arith::CmpIPredicate;
  switch (op) {
  case CompareOperator::Lt: return isSigned ? slt : ult;
  case CompareOperator::LtE: return isSigned ? sle : ule;
  case CompareOperator::Gt: return isSigned ? sgt : ugt;
  case CompareOperator::GtE: return isSigned ? sge : uge;
  case CompareOperator::NotEq: return ne;
  default: return eq;
  }
}

// Ordered, so that NaN compares false; `!=` is its only exception.
arith::CmpFPredicate floatPredicate(CompareOperator op) {
  using enum arith::CmpFPredicate;
  switch (op) {
  case CompareOperator::Lt: return OLT;
  case CompareOperator::LtE: return OLE;
  case CompareOperator::Gt: return OGT;
  case CompareOperator::GtE: return OGE;
  case CompareOperator::NotEq: return UNE;
  default: return OEQ;
  }
}

// Two pointers compare as addresses. A number next to one is a mistake, mostly a tensor passed for a number.
Tensor toAddress(Emitter &emitter, const Value &value) {
  Tensor tensor = toTensor(emitter, value);
  if (!tensor.type.isPointer())
    emitter.fail("a pointer cannot be compared with " + tensor.type.shortName(),
                 {"compare what it points to: `tl.load(p)`; if it should be a number, pass a number"}, "TypeError");
  return castTo(emitter, tensor, Scalar::UInt64);
}

bool comparesAddress(const Value &value) { return value.isTensor() && value.tensor().type.isPointer(); }

// A pointer is true where there is one: `if bias_ptr and row == 0`.
Tensor toBoolean(Emitter &emitter, const Value &value) {
  Tensor tensor = toTensor(emitter, value);
  if (tensor.type.isPointer())
    return castTo(emitter, tensor, Scalar::Int1);
  if (!tensor.type.isBool())
    emitter.fail("`and`, `or` work on booleans, got " + tensor.type.shortName(), {"compare: `x != 0`"});
  return tensor;
}

} // namespace

Value emitCompare(Emitter &emitter, CompareOperator op, const Value &lhs, const Value &rhs) {
  if (op > CompareOperator::GtE)
    emitter.fail("`in` and `is` are not defined for tensors", {}, "TypeError");
  if (lhs.str() || rhs.str())
    emitter.fail("a text cannot be compared with " + typeName(lhs.str() ? rhs : lhs),
                 {"text is known at compile time only: the other side must be a `tl.constexpr`"}, "TypeError");
  // A number takes part in the promotion here, unlike in arithmetic: fp16 < 0.1 compares in fp32.
  bool ofPointers = comparesAddress(lhs) || comparesAddress(rhs);
  Tensor left = ofPointers ? toAddress(emitter, lhs) : toTensor(emitter, lhs);
  Tensor right = ofPointers ? toAddress(emitter, rhs) : toTensor(emitter, rhs);
  auto [a, b] = promoteOperands(emitter, left, right);
  if (a.type.scalarKind() == Scalar::Fp8E4B15) {
    a = castTo(emitter, a, Scalar::Fp16);
    b = castTo(emitter, b, Scalar::Fp16);
  }
  Type type = a.type.withScalar(Scalar::Int1);
  if (a.type.isFloat())
    return Tensor{emitter.fold<arith::CmpFOp>(floatPredicate(op), a.ir, b.ir), type};
  return Tensor{emitter.fold<arith::CmpIOp>(integerPredicate(op, a.type.isSignedInt()), a.ir, b.ir), type};
}

Value emitLogical(Emitter &emitter, syntax::BoolOperator op, const Value &lhs, const Value &rhs) {
  auto [a, b] = broadcastTogether(emitter, toBoolean(emitter, lhs), toBoolean(emitter, rhs));
  mlir::Value result = op == syntax::BoolOperator::And ? emitter.fold<arith::AndIOp>(a.ir, b.ir)
                                                       : emitter.fold<arith::OrIOp>(a.ir, b.ir);
  return Tensor{result, a.type};
}

Tensor toCondition(Emitter &emitter, const Tensor &value) {
  if (value.type.elementCount() > 1)
    emitter.fail("a condition must be a single boolean, got " + value.type.shortName(),
                 {"give loads and stores a `mask=`, choose elementwise with `tl.where`, or reduce it with `tl.max`"});
  return castTo(emitter, toScalar(emitter, value), Scalar::Int1);
}

Tensor select(Emitter &emitter, const Value &condition, const Value &x, const Value &y) {
  Tensor choice = toTensor(emitter, condition);
  if (!choice.type.isBool())
    emitter.session.warn("the condition of `where` has type " + choice.type.scalar().shortName() +
                         ", not a boolean; compare it with `!= 0`");
  choice = castTo(emitter, choice, Scalar::Int1);
  auto [a, b] = promoteOperands(emitter, x, y, false, true);
  if (a.type.isPointer() != b.type.isPointer())
    emitter.fail("`where` chooses between " + a.type.shortName() + " and " + b.type.shortName(),
                 {"both must be pointers"}, "TypeError");
  if (choice.type.isBlock()) {
    std::vector<Tensor> all{choice, a, b};
    broadcastAll(emitter, all);
    return {emitter.fold<arith::SelectOp>(all[0].ir, all[1].ir, all[2].ir), all[1].type};
  }
  return {emitter.fold<arith::SelectOp>(choice.ir, a.ir, b.ir), a.type};
}

} // namespace nereid::lang
