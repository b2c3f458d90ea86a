// SemanticPromote.cpp: the type in which two operands meet.
#include "lang/semantic/Semantic.h"

namespace nereid::lang {

namespace {

// bool < integer < float.
int kindOf(const Type &type) { return type.isFloat() ? 2 : type.isBool() ? 0 : 1; }

Type promoteIntegers(const Type &a, const Type &b) {
  unsigned aBits = a.bitWidth(), bBits = b.bitWidth();
  if (a.isSignedInt() == b.isSignedInt())
    return aBits > bBits ? a : b;
  // Mixed: the unsigned one wins unless it is narrower.
  if (a.isUnsignedInt())
    return aBits >= bBits ? a : b;
  return bBits >= aBits ? b : a;
}

[[noreturn]] void failOperands(Emitter &emitter, const Type &a, const Type &b, std::vector<std::string> notes = {}) {
  emitter.fail("operands of types " + a.shortName() + " and " + b.shortName() + " do not go together", std::move(notes),
               "TypeError");
}

void checkPointer(Emitter &emitter, const Type &a, const Type &b, bool allowPointer) {
  if (!a.isPointer())
    return;
  if (!allowPointer)
    failOperands(
        emitter, a, b,
        {"a pointer takes part only in `+`, `-`, comparisons and `tl.where`; what it points to is `tl.load(p)`"});
  if (b.isPointer() && a.scalar() != b.scalar())
    failOperands(emitter, a, b, {"cast one pointer to the type of the other"});
  if (b.isFloat())
    failOperands(emitter, a, b, {"an offset is an integer"});
}

// A number joins a tensor in the type of the result; it must be representable there.
void checkConstant(Emitter &emitter, const Value &number, const Type &type) {
  if (!type.isInt() || number.is<double>())
    return;
  auto integer = number.integer();
  if (*integer < 0 && type.isUnsignedInt())
    emitter.fail("the negative number `" + repr(number) + "` meets an unsigned tensor of type " + type.shortName(),
                 {"cast the tensor to a signed type first"});
  Integer most = type.isBool() ? 1 : (Integer(1) << (type.bitWidth() - type.isSignedInt())) - 1;
  Integer least = type.isSignedInt() ? -most - 1 : 0;
  if (*integer < least || *integer > most)
    emitter.fail("the number `" + repr(number) + "` is out of range for the tensor's type " + type.shortName(),
                 {"cast the tensor to a wider type first"});
}

Tensor inType(Emitter &emitter, const Value &value, const Tensor &tensor, const Type &type) {
  if (value.isTensor())
    return castTo(emitter, tensor, type);
  checkConstant(emitter, value, type);
  return constant(emitter, type, value);
}

} // namespace

Type promoteTypes(Emitter &emitter, const Type &a, bool aIsScalarConstant, const Type &b, bool bIsScalarConstant,
                  bool isDivision) {
  using enum Scalar;
  if (aIsScalarConstant != bIsScalarConstant) {
    const Type &number = aIsScalarConstant ? a : b, &tensor = aIsScalarConstant ? b : a;
    if (kindOf(number) <= kindOf(tensor)) {
      bool isHalf = tensor.scalarKind() == Fp16 || tensor.scalarKind() == Bf16;
      return isDivision && isHalf ? Type(Fp32) : tensor;
    }
  }
  auto either = [&](Scalar kind) { return a.scalarKind() == kind || b.scalarKind() == kind; };
  if (either(Fp64))
    return Fp64;
  if (either(Fp32))
    return Fp32;
  if (either(Fp16))
    return isDivision ? Fp32 : Fp16;
  if (either(Bf16))
    return a == b && !isDivision ? Bf16 : Fp32;
  if (a.isFp8() && b.isFp8())
    return a == b ? a : Type(Fp16);
  if (!a.isInt() || !b.isInt())
    failOperands(emitter, a, b, {"cast the fp8 operand to `tl.float16` or `tl.float32` first"});
  if (isDivision && a.isSignedInt() != b.isSignedInt())
    emitter.fail("cannot use division with " + a.shortName() + " and " + b.shortName() +
                     " because they have different signedness",
                 {"cast one of them"}, "TypeError");
  return promoteIntegers(a, b);
}

std::pair<Tensor, Tensor> promoteOperands(Emitter &emitter, const Value &a, const Value &b, bool isDivision,
                                          bool allowPointers) {
  // Constants are made after their type is known, so that no unused op is left behind.
  Tensor left = a.isTensor() ? a.tensor() : Tensor{{}, typeOfConstant(emitter, a)};
  Tensor right = b.isTensor() ? b.tensor() : Tensor{{}, typeOfConstant(emitter, b)};
  Type leftScalar = left.type.scalar(), rightScalar = right.type.scalar();
  checkPointer(emitter, leftScalar, rightScalar, allowPointers);
  checkPointer(emitter, rightScalar, leftScalar, allowPointers);
  if (leftScalar.isPointer() || rightScalar.isPointer()) {
    left = toTensor(emitter, a);
    right = toTensor(emitter, b);
  } else {
    Type type = promoteTypes(emitter, leftScalar, !a.isTensor(), rightScalar, !b.isTensor(), isDivision);
    left = inType(emitter, a, left, type);
    right = inType(emitter, b, right, type);
  }
  return broadcastTogether(emitter, left, right);
}

} // namespace nereid::lang
