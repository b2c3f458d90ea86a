// ScalarMasks.h: vectors of truth values taken apart.
#pragma once

#include "llvm/IR/PassManager.h"

namespace nereid::gpu {

class ScalarMasksPass : public llvm::PassInfoMixin<ScalarMasksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace nereid::gpu
