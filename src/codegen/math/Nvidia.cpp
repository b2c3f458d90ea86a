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
Term roughReciprocal(Term x) { return onLanes(x, llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}); }

Term cutToInteger(Term x, unsigned bits, bool isSigned) {
  llvm::IRBuilderBase &builder = x.code->builder;
  std::string to = (isSigned ? ".s" : ".u") + std::to_string(bits), from = x.isDouble() ? ".f64" : ".f32";
  std::string constraints = std::string(bits == 64 ? "=l" : "=r") + (x.isDouble() ? ",d" : ",f");
  auto *type = llvm::FunctionType::get(builder.getIntNTy(bits), {x.type()->getScalarType()}, false);
  auto *instruction = llvm::InlineAsm::get(type, "cvt.rzi" + to + from + " $0, $1;", constraints, false);
  return x.with(
      mapLanes(builder, {x.value}, [&](Operands lane) { return builder.CreateCall(type, instruction, lane); }));
}

} // namespace nereid::codegen::terms
