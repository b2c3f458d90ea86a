// Loop.h: counted loops in LLVM IR with constant bounds.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu::dot {

// for (i = begin; i < end; i += step), where the step divides the distance. The carried values go from one round to
// the next: the body replaces them. Returns them after the last round. One round is no loop.
llvm::SmallVector<llvm::Value *, 32>
emitLoop(llvm::IRBuilderBase &builder, int64_t begin, int64_t end, int64_t step, llvm::ArrayRef<llvm::Value *> carried,
         llvm::function_ref<void(llvm::Value *i, llvm::MutableArrayRef<llvm::Value *> carried)> body);

void emitLoop(llvm::IRBuilderBase &builder, int64_t begin, int64_t end, int64_t step,
              llvm::function_ref<void(llvm::Value *i)> body);

} // namespace nereid::cpu::dot
