// SemanticCast.cpp: conversions between types: by value (`.to`) and by bits (`bitcast`).
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nereid::lang {

namespace {

using namespace mlir;

enum class Rounding { None, NearestEven, TowardZero };

Rounding toRounding(Emitter &emitter, const Value &value) {
  if (!value || value.isNone())
    return Rounding::None;
  std::string text = toConstantString(emitter, value, "`fp_downcast_rounding`");
  if (text == "rtne")
    return Rounding::NearestEven;
  if (text == "rtz")
    return Rounding::TowardZero;
  emitter.fail("`fp_downcast_rounding` must be `rtne` or `rtz`, got `" + text + "`");
}

// One conversion op from the tensor's type to another of the same shape.
template <class Op> Tensor convert(Emitter &emitter, const Tensor &source, const Type &type) {
  return {emitter.fold<Op>(type.ir(emitter.context()), source.ir), type};
}

Tensor nonZero(Emitter &emitter, const Tensor &source) {
  Type type = source.type.withScalar(Scalar::Int1);
  Tensor zero = constant(emitter, source.type, 0);
  if (source.type.isFloat())
    return {emitter.fold<arith::CmpFOp>(arith::CmpFPredicate::UNE, source.ir, zero.ir), type};
  return {emitter.fold<arith::CmpIOp>(arith::CmpIPredicate::ne, source.ir, zero.ir), type};
}

Tensor castInteger(Emitter &emitter, const Tensor &source, const Type &type) {
  unsigned from = source.type.bitWidth(), to = type.bitWidth();
  if (type.isBool())
    return nonZero(emitter, source);
  if (from == to)
    return {source.ir, type};
  if (from > to)
    return convert<arith::TruncIOp>(emitter, source, type);
  if (source.type.isSignedInt())
    return convert<arith::ExtSIOp>(emitter, source, type);
  return convert<arith::ExtUIOp>(emitter, source, type);
}

// Bits of fp8e4b15 are the bits of the same f16 with the exponent's top bit left out: sign and 7 bits of magnitude.
Tensor widenFp8e4b15(Emitter &emitter, const Tensor &source) {
  Type bits = source.type.withScalar(Scalar::UInt16);
  Tensor wide = castInteger(emitter, {source.ir, source.type.withScalar(Scalar::UInt8)}, bits);
  auto number = [&](int value) { return constant(emitter, bits, value).ir; };
  mlir::Value sign = emitter.fold<arith::ShLIOp>(emitter.fold<arith::AndIOp>(wide.ir, number(0x80)), number(8));
  mlir::Value magnitude = emitter.fold<arith::ShLIOp>(emitter.fold<arith::AndIOp>(wide.ir, number(0x7f)), number(7));
  return bitcastTo(emitter, {emitter.fold<arith::OrIOp>(sign, magnitude), bits}, Scalar::Fp16);
}

// Saturates at 1.75 (NaN included), then rounds the magnitude half up: Triton's conversion, bit for bit.
Tensor narrowToFp8e4b15(Emitter &emitter, const Tensor &half) {
  Type bits = half.type.withScalar(Scalar::UInt16);
  auto number = [&](int value) { return constant(emitter, bits, value).ir; };
  mlir::Value raw = bitcastTo(emitter, half, Scalar::UInt16).ir;
  mlir::Value magnitude = emitter.fold<arith::AndIOp>(raw, number(0x7fff));
  magnitude = emitter.fold<arith::MinUIOp>(magnitude, number(0x3f00)); // f16 magnitudes order like their bits
  magnitude = emitter.fold<arith::AddIOp>(emitter.fold<arith::ShLIOp>(magnitude, number(1)), number(0x80));
  mlir::Value joined = emitter.fold<arith::OrIOp>(emitter.fold<arith::AndIOp>(raw, number(0x8000)), magnitude);
  Tensor high{emitter.fold<arith::ShRUIOp>(joined, number(8)), bits};
  Tensor byte = castInteger(emitter, high, bits.withScalar(Scalar::UInt8));
  return {byte.ir, half.type.withScalar(Scalar::Fp8E4B15)};
}

Tensor truncateFloat(Emitter &emitter, const Tensor &source, const Type &type, Rounding rounding) {
  if (rounding != Rounding::TowardZero)
    return convert<arith::TruncFOp>(emitter, source, type);
  auto towardZero = arith::RoundingModeAttr::get(emitter.context(), arith::RoundingMode::toward_zero);
  return {emitter.fold<arith::TruncFOp>(type.ir(emitter.context()), source.ir, towardZero, arith::FastMathFlagsAttr()),
          type};
}

Tensor castFloat(Emitter &emitter, const Tensor &source, const Type &type, Rounding rounding) {
  if (source.type.scalarKind() == Scalar::Fp8E4B15)
    return castTo(emitter, widenFp8e4b15(emitter, source), type.scalar());
  if (type.scalarKind() == Scalar::Fp8E4B15) {
    bool isWide = source.type.bitWidth() > 16;
    Tensor half = castTo(emitter, source, Scalar::Fp16, isWide ? Value("rtz") : Value());
    return narrowToFp8e4b15(emitter, half);
  }
  unsigned from = source.type.bitWidth(), to = type.bitWidth();
  if (from == to) // fp16 and bf16, or two kinds of fp8: no common narrower type
    return castTo(emitter, castTo(emitter, source, Scalar::Fp32), type.scalar());
  return from > to ? truncateFloat(emitter, source, type, rounding) : convert<arith::ExtFOp>(emitter, source, type);
}

Tensor castNumber(Emitter &emitter, const Tensor &source, const Type &type, Rounding rounding) {
  if (source.type.isFloat() && type.isFloat())
    return castFloat(emitter, source, type, rounding);
  if (source.type.isInt() && type.isInt())
    return castInteger(emitter, source, type);
  if (source.type.isInt()) {
    if (type.isFp8()) // by way of fp32, which is exact for small integers
      return castTo(emitter, castTo(emitter, source, Scalar::Fp32), type.scalar());
    return source.type.isSignedInt() ? convert<arith::SIToFPOp>(emitter, source, type)
                                     : convert<arith::UIToFPOp>(emitter, source, type);
  }
  if (source.type.isFp8())
    return castTo(emitter, castTo(emitter, source, Scalar::Fp32), type.scalar());
  if (type.isBool())
    return nonZero(emitter, source);
  return type.isSignedInt() ? convert<arith::FPToSIOp>(emitter, source, type)
                            : convert<arith::FPToUIOp>(emitter, source, type);
}

Tensor castPointer(Emitter &emitter, const Tensor &source, const Type &type) {
  Type address = source.type.withScalar(Scalar::Int64);
  if (source.type.isPointer() && type.isPointer())
    return convert<tile::PtrCastOp>(emitter, source, type);
  if (source.type.isPointer() && type.isInt()) {
    if (type.bitWidth() == 64)
      return convert<tile::PtrToIntOp>(emitter, source, type);
    if (type.isBool())
      return nonZero(emitter, convert<tile::PtrToIntOp>(emitter, source, address));
    emitter.fail("a pointer has 64 bits and cannot be cast to " + type.scalar().shortName(),
                 {"cast it to `tl.int64` first"}, "TypeError");
  }
  if (source.type.isInt()) { // an address is unsigned
    Tensor bits = source.type.bitWidth() < 64 ? convert<arith::ExtUIOp>(emitter, source, address) : source;
    return convert<tile::IntToPtrOp>(emitter, bits, type);
  }
  std::vector<std::string> notes;
  if (type.isPointer())
    notes.push_back("the type of what a pointer points to is `p.dtype.element_ty`");
  emitter.fail("cannot cast " + source.type.scalar().shortName() + " to " + type.scalar().shortName(), notes,
               "TypeError");
}

} // namespace

Tensor castTo(Emitter &emitter, const Tensor &source, const Type &scalar, const Value &roundingMode) {
  if (source.type.scalar() == scalar.scalar())
    return source;
  Rounding rounding = toRounding(emitter, roundingMode);
  bool narrows = source.type.isFloat() && scalar.isFloat() && scalar.bitWidth() < source.type.bitWidth();
  if (rounding != Rounding::None && !narrows)
    emitter.fail("`fp_downcast_rounding` is for casts to a narrower floating-point type, but this one is from " +
                 source.type.scalar().shortName() + " to " + scalar.shortName());
  if (source.type.isVoid() || scalar.isVoid())
    emitter.fail("cannot cast " + source.type.shortName() + " to " + scalar.shortName(), {}, "TypeError");
  Type type = source.type.withScalar(scalar);
  if (source.type.isPointer() || scalar.isPointer())
    return castPointer(emitter, source, type);
  return castNumber(emitter, source, type, rounding);
}

Tensor bitcastTo(Emitter &emitter, const Tensor &source, const Type &scalar) {
  Type type = source.type.withScalar(scalar);
  if (source.type == type)
    return source;
  if (source.type.isPointer() || scalar.isPointer())
    return castTo(emitter, source, scalar);
  if (source.type.bitWidth() != scalar.bitWidth())
    emitter.fail("cannot bitcast " + source.type.scalar().shortName() + " (" + std::to_string(source.type.bitWidth()) +
                 " bits) to " + scalar.shortName() + " (" + std::to_string(scalar.bitWidth()) + " bits)");
  if (source.type.ir(emitter.context()) == type.ir(emitter.context()))
    return {source.ir, type};
  return convert<arith::BitcastOp>(emitter, source, type);
}

} // namespace nereid::lang
