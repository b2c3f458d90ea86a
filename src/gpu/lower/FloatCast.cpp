#include "gpu/lower/FloatCast.h"

#include "codegen/Arithmetic.h"
#include "codegen/math/Math.h"
#include "gpu/lower/ByteFloat.h"
#include "gpu/lower/Lowering.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nereid::gpu {

using codegen::NarrowFloat;
using codegen::withLanes;

llvm::Value *widenFloat(Lowering &lowering, llvm::Value *value, Type type) {
  llvm::IRBuilder<> &builder = lowering.builder;
  type = getElementTypeOrSelf(type);
  if (type.isF16() || type.isBF16())
    return builder.CreateFPExt(value, withLanes(builder.getFloatTy(), value));
  if (llvm::Value *half = widenBytes(builder, value, type, lowering.options))
    return builder.CreateFPExt(half, withLanes(builder.getFloatTy(), value));
  if (std::optional<NarrowFloat> narrow = codegen::narrowFloatOf(type))
    return codegen::widen(builder, mathTarget(), value, *narrow);
  return value;
}

// f64 to f32 so that a second rounding is as if there had been one: toward zero, the last bit set where something was
// lost.
static llvm::Value *roundToOdd(llvm::IRBuilder<> &b, llvm::Value *value, bool cut) {
  llvm::Type *single = withLanes(b.getFloatTy(), value), *bits = withLanes(b.getInt32Ty(), value);
  llvm::Value *nearest = b.CreateFPTrunc(value, single), *again = b.CreateFPExt(nearest, value->getType());
  llvm::Value *magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  llvm::Value *isAway = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, again), magnitude);
  llvm::Value *word = b.CreateSub(b.CreateBitCast(nearest, bits), b.CreateZExt(isAway, bits));
  if (!cut)
    word = b.CreateOr(word, b.CreateZExt(b.CreateFCmpONE(again, value), bits));
  return b.CreateBitCast(word, single);
}

llvm::Value *narrowFloat(Lowering &lowering, llvm::Value *value, Type type, bool cut) {
  llvm::IRBuilder<> &builder = lowering.builder;
  type = getElementTypeOrSelf(type);
  llvm::Type *from = value->getType()->getScalarType();
  if (!isa<FloatType>(type) || !from->isFloatingPointTy())
    return value;
  if (type.isF64())
    return from->isDoubleTy() ? value : builder.CreateFPExt(value, withLanes(builder.getDoubleTy(), value));
  if (type.isF32() && !cut)
    return from->isDoubleTy() ? builder.CreateFPTrunc(value, withLanes(builder.getFloatTy(), value)) : value;
  if (from->isDoubleTy())
    value = roundToOdd(builder, value, cut);
  if (type.isF32() || (from->isHalfTy() && type.isF16()) || (from->isBFloatTy() && type.isBF16()))
    return value;
  if (type.isF16() || type.isBF16()) {
    llvm::Type *to = withLanes(type.isF16() ? builder.getHalfTy() : builder.getBFloatTy(), value);
    if (!cut)
      return builder.CreateFPTrunc(value, to);
    auto format = type.isF16() ? NarrowFloat::F16 : NarrowFloat::BF16;
    return builder.CreateBitCast(codegen::narrow(builder, mathTarget(), value, format, true), to);
  }
  if (llvm::Value *bytes = cut ? nullptr : narrowToBytes(builder, value, type, lowering.options))
    return bytes;
  if (std::optional<NarrowFloat> narrow = codegen::narrowFloatOf(type))
    return codegen::narrow(builder, mathTarget(), value, *narrow, cut);
  return value;
}

} // namespace nereid::gpu
