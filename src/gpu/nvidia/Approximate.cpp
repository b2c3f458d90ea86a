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

namespace {

// The instructions that are approximate by themselves, with or without denormals.
class Rough {
public:
  explicit Rough(Lowering &lowering) : builder(lowering.builder), flushes(lowering.options.choices.flushesDenormals) {}

  llvm::Value *exp2(llvm::Value *x) {
    auto id = flushes ? llvm::Intrinsic::nvvm_ex2_approx_ftz : llvm::Intrinsic::nvvm_ex2_approx;
    return callOnLanes(builder, id, {x}, {builder.getFloatTy()});
  }
  llvm::Value *log2(llvm::Value *x) {
    return call(llvm::Intrinsic::nvvm_lg2_approx_ftz_f, llvm::Intrinsic::nvvm_lg2_approx_f, x);
  }
  llvm::Value *sin(llvm::Value *x) {
    return call(llvm::Intrinsic::nvvm_sin_approx_ftz_f, llvm::Intrinsic::nvvm_sin_approx_f, x);
  }
  llvm::Value *cos(llvm::Value *x) {
    return call(llvm::Intrinsic::nvvm_cos_approx_ftz_f, llvm::Intrinsic::nvvm_cos_approx_f, x);
  }
  llvm::Value *sqrt(llvm::Value *x) {
    return call(llvm::Intrinsic::nvvm_sqrt_approx_ftz_f, llvm::Intrinsic::nvvm_sqrt_approx_f, x);
  }
  llvm::Value *rsqrt(llvm::Value *x) {
    return call(llvm::Intrinsic::nvvm_rsqrt_approx_ftz_f, llvm::Intrinsic::nvvm_rsqrt_approx_f, x);
  }
  llvm::Value *quotient(llvm::Value *a, llvm::Value *b) {
    return call(llvm::Intrinsic::nvvm_div_approx_ftz_f, llvm::Intrinsic::nvvm_div_approx_f, {a, b});
  }
  llvm::Value *times(llvm::Value *x, double factor) {
    return builder.CreateFMul(x, llvm::ConstantFP::get(x->getType(), factor));
  }
  llvm::Value *times(llvm::Value *x, llvm::Value *y) { return builder.CreateFMul(x, y); }

private:
  llvm::Value *call(llvm::Intrinsic::ID flushing, llvm::Intrinsic::ID keeping, Operands operands) {
    return callOnLanes(builder, flushes ? flushing : keeping, operands);
  }

  llvm::IRBuilder<> &builder;
  bool flushes;
};

constexpr double kLog2OfE = 1.4426950408889634, kLog2Of10 = 3.321928094887362;

} // namespace

llvm::Value *emitApproximate(Lowering &lowering, llvm::StringRef name, Operands operands) {
  Rough rough(lowering);
  llvm::Value *x = operands[0];
  auto is = [&](auto... names) { return ((name == names) || ...); };
  if (is("math.exp", "__nv_fast_expf"))
    return rough.exp2(rough.times(x, kLog2OfE));
  if (is("math.exp2", "__nv_exp2f"))
    return rough.exp2(x);
  if (is("__nv_fast_exp10f"))
    return rough.exp2(rough.times(x, kLog2Of10));
  if (is("__nv_fast_log2f"))
    return rough.log2(x);
  if (is("__nv_fast_logf"))
    return rough.times(rough.log2(x), 1 / kLog2OfE);
  if (is("__nv_fast_log10f"))
    return rough.times(rough.log2(x), 1 / kLog2Of10);
  if (is("__nv_fast_powf"))
    return rough.exp2(rough.times(operands[1], rough.log2(x)));
  if (is("__nv_fast_sinf"))
    return rough.sin(x);
  if (is("__nv_fast_cosf"))
    return rough.cos(x);
  if (is("__nv_fast_tanf"))
    return rough.quotient(rough.sin(x), rough.cos(x));
  if (is("__nv_fast_fdividef"))
    return rough.quotient(x, operands[1]);
  if (is("arith.divf"))
    return callOnLanes(lowering.builder, llvm::Intrinsic::nvvm_div_full, operands);
  if (is("math.sqrt", "__nv_sqrtf"))
    return rough.sqrt(x);
  if (is("math.rsqrt", "__nv_rsqrtf"))
    return rough.rsqrt(x);
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

llvm::Value *emitPermuted(llvm::IRBuilder<> &builder, llvm::StringRef name, Operands operands) {
  if (name != "__nv_byte_perm")
    return nullptr;
  constexpr uint32_t kPlaces = 0x7777; // digits of 8 and more would ask for the sign of a byte
  llvm::Value *places = builder.CreateAnd(operands[2], llvm::ConstantInt::get(operands[2]->getType(), kPlaces));
  return codegen::mapLanes(builder, {operands[0], operands[1], places}, [&](Operands scalars) {
    return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_prmt, {}, scalars);
  });
}

} // namespace nereid::gpu
