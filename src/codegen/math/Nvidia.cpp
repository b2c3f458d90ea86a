#include "codegen/math/Nvidia.h"

#include "codegen/Lanes.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::codegen::terms {

static Term onLanes(Term x, llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type *> types) {
  llvm::IRBuilderBase &builder = x.code->builder;
  return x.with(
      mapLanes(builder, {x.value}, [&](Operands scalars) { return builder.CreateIntrinsic(id, types, scalars); }));
}

bool isNvidia(Term a) { return a.code->target.isNvidia; }
Term roughPower(Term x) { return onLanes(x, llvm::Intrinsic::nvvm_ex2_approx_ftz, {x.type()->getScalarType()}); }
Term saturatedFma(Term x, double by, double plus) {
  llvm::IRBuilderBase &builder = x.code->builder;
  return x.with(mapLanes(builder, {x.value, x.like(by).value, x.like(plus).value}, [&](Operands scalars) {
    return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_fma_rn_sat_f, {}, scalars);
  }));
}
Term roughReciprocal(Term x) { return onLanes(x, llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}); }

Term moderateQuotient(Term a, Term b) {
  if (!isNvidia(b) || !b.isDouble())
    return a / b;
  Term inverse = onLanes(b, llvm::Intrinsic::nvvm_rcp_approx_ftz_d, {}); // 20 bits of it
  for (int i = 0; i < 2; ++i)
    inverse = fma(inverse, fma(-b, inverse, 1), inverse);
  Term quotient = a * inverse;
  return fma(fma(-b, quotient, a), inverse, quotient);
}

llvm::Value *cutToInteger(llvm::IRBuilderBase &builder, llvm::Value *number, unsigned bits, bool isSigned) {
  bool isDouble = number->getType()->isDoubleTy();
  llvm::Type *kept = builder.getIntNTy(std::max(16u, bits)); // no register is narrower
  std::string text = std::string("cvt.rzi.") + (isSigned ? "s" : "u") + std::to_string(bits);
  std::string constraints = std::string(bits == 64 ? "=l" : bits == 32 ? "=r" : "=h") + (isDouble ? ",d" : ",f");
  auto *type = llvm::FunctionType::get(kept, {number->getType()}, false);
  auto *code = llvm::InlineAsm::get(type, text + (isDouble ? ".f64 $0, $1;" : ".f32 $0, $1;"), constraints, false);
  return builder.CreateTrunc(builder.CreateCall(type, code, number), builder.getIntNTy(bits));
}

Term cutToInteger(Term x, unsigned bits, bool isSigned) {
  llvm::IRBuilderBase &builder = x.code->builder;
  return x.with(
      mapLanes(builder, {x.value}, [&](Operands lane) { return cutToInteger(builder, lane[0], bits, isSigned); }));
}

} // namespace nereid::codegen::terms
