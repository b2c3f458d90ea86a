#include "codegen/math/Nvidia.h"

#include "codegen/Lanes.h"

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

} // namespace nereid::codegen::terms
