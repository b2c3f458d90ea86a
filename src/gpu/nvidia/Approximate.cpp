#include "gpu/nvidia/Approximate.h"

#include "codegen/Lanes.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::gpu {

using codegen::Operands;

static llvm::Value *callOnLanes(llvm::IRBuilder<> &builder, llvm::Intrinsic::ID id, Operands operands,
                                llvm::ArrayRef<llvm::Type *> types = {}) {
  return codegen::mapLanes(builder, operands,
                           [&](Operands scalars) { return builder.CreateIntrinsic(id, types, scalars); });
}

llvm::Value *emitApproximate(Lowering &lowering, llvm::StringRef name, Operands operands) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto flushing = [&](llvm::Intrinsic::ID flushes, llvm::Intrinsic::ID keeps) {
    return lowering.options.choices.flushesDenormals ? flushes : keeps;
  };
  auto exp2 = [&](llvm::Value *x) {
    auto id = flushing(llvm::Intrinsic::nvvm_ex2_approx_ftz, llvm::Intrinsic::nvvm_ex2_approx);
    return callOnLanes(builder, id, {x}, {builder.getFloatTy()});
  };
  if (name == "math.exp" || name == "__nv_fast_expf")
    return exp2(builder.CreateFMul(operands[0], llvm::ConstantFP::get(operands[0]->getType(), 1.4426950408889634)));
  if (name == "math.exp2")
    return exp2(operands[0]);
  if (name == "arith.divf")
    return callOnLanes(builder, llvm::Intrinsic::nvvm_div_full, operands);
  if (name == "math.sqrt")
    return callOnLanes(builder, flushing(llvm::Intrinsic::nvvm_sqrt_approx_ftz_f, llvm::Intrinsic::nvvm_sqrt_approx_f),
                       operands);
  if (name == "math.rsqrt" || name == "__nv_rsqrtf")
    return callOnLanes(
        builder, flushing(llvm::Intrinsic::nvvm_rsqrt_approx_ftz_f, llvm::Intrinsic::nvvm_rsqrt_approx_f), operands);
  return nullptr;
}

llvm::Value *emitExtremum(llvm::IRBuilder<> &builder, llvm::StringRef name, Operands operands) {
  bool isDouble = operands[0]->getType()->getScalarType()->isDoubleTy();
  auto call = [&](llvm::Intrinsic::ID id, llvm::Value *a, llvm::Value *b) { return callOnLanes(builder, id, {a, b}); };
  auto most = isDouble ? llvm::Intrinsic::nvvm_fmax_d : llvm::Intrinsic::nvvm_fmax_f;
  auto least = isDouble ? llvm::Intrinsic::nvvm_fmin_d : llvm::Intrinsic::nvvm_fmin_f;
  if (name == "arith.maxnumf")
    return call(most, operands[0], operands[1]);
  if (name == "arith.minnumf")
    return call(least, operands[0], operands[1]);
  if (name == "math.clampf")
    return call(least, call(most, operands[0], operands[1]), operands[2]);
  if (name == "arith.maximumf" && !isDouble)
    return call(llvm::Intrinsic::nvvm_fmax_nan_f, operands[0], operands[1]);
  if (name == "arith.minimumf" && !isDouble)
    return call(llvm::Intrinsic::nvvm_fmin_nan_f, operands[0], operands[1]);
  return nullptr;
}

} // namespace nereid::gpu
