// WarpIntegers.h: one instruction that combines an integer of each lane, where the GPU has it.
#pragma once

#include "gpu/Target.h"

#include "llvm/IR/IRBuilder.h"

namespace nereid::gpu {

// All lanes get the result. Null where the GPU has no such instruction.
llvm::Value *combineWarp(llvm::IRBuilder<> &builder, const Target &target, llvm::AtomicRMWInst::BinOp how,
                         llvm::Value *word);

} // namespace nereid::gpu
