// ConstantsLast.h: the constant part of an index, and of a difference, is added last, so that registers of one thread share the rest.
#pragma once

#include "llvm/IR/PassManager.h"

namespace nereid::gpu {

class ConstantsLastPass : public llvm::PassInfoMixin<ConstantsLastPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace nereid::gpu
