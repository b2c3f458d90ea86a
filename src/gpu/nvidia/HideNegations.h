// HideNegations.h: a fault of NVIDIA's assembler, avoided.
#pragma once

#include "llvm/IR/PassManager.h"

namespace nereid::gpu {

class HideNegationsPass : public llvm::PassInfoMixin<HideNegationsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace nereid::gpu
