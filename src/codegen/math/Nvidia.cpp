#include "codegen/math/Nvidia.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::codegen::terms {

static Term onLanes(Term x, llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type *> types) {
  llvm::IRBuilderBase &builder = x.code->builder;
  if (!x.type()->isVectorTy())
    return x.with(builder.CreateIntrinsic(id, types, {x.value}));
  llvm::Value *result = llvm::PoisonValue::get(x.type());
  for (unsigned lane = 0; lane < x.lanes(); ++lane)
    result = builder.CreateInsertElement(
        result, builder.CreateIntrinsic(id, types, {builder.CreateExtractElement(x.value, lane)}), lane);
  return x.with(result);
}

bool isNvidia(Term a) { return a.code->target.isNvidia; }
Term roughPower(Term x) { return onLanes(x, llvm::Intrinsic::nvvm_ex2_approx_ftz, {x.type()->getScalarType()}); }
Term roughReciprocal(Term x) { return onLanes(x, llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}); }

} // namespace nereid::codegen::terms
