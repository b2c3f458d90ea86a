// WarpIntegers.cpp: redux.sync, a fifth of the shuffles' way. It came with asynchronous copies (sm_80).
#include "gpu/lower/WarpIntegers.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace nereid::gpu {

static Intrinsic::ID reduxOf(AtomicRMWInst::BinOp how) {
  switch (how) {
  case AtomicRMWInst::Add: return Intrinsic::nvvm_redux_sync_add;
  case AtomicRMWInst::And: return Intrinsic::nvvm_redux_sync_and;
  case AtomicRMWInst::Or: return Intrinsic::nvvm_redux_sync_or;
  case AtomicRMWInst::Xor: return Intrinsic::nvvm_redux_sync_xor;
  case AtomicRMWInst::Max: return Intrinsic::nvvm_redux_sync_max;
  case AtomicRMWInst::Min: return Intrinsic::nvvm_redux_sync_min;
  case AtomicRMWInst::UMax: return Intrinsic::nvvm_redux_sync_umax;
  case AtomicRMWInst::UMin: return Intrinsic::nvvm_redux_sync_umin;
  default: return Intrinsic::not_intrinsic;
  }
}

Value *combineWarp(IRBuilder<> &builder, const Target &target, AtomicRMWInst::BinOp how, Value *word) {
  Intrinsic::ID id = reduxOf(how);
  if (!target.hasAsyncCopies || id == Intrinsic::not_intrinsic)
    return nullptr;
  return builder.CreateIntrinsic(id, {}, {word, builder.getInt32(-1)});
}

} // namespace nereid::gpu
