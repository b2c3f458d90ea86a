// SplitTiles.h: vectors taken apart into what fits one register of a thread.
#pragma once

#include "llvm/IR/PassManager.h"

namespace nereid::gpu {

class SplitTilesPass : public llvm::PassInfoMixin<SplitTilesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace nereid::gpu
