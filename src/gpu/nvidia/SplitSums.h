// SplitSums.h: another fault of NVIDIA's assembler, avoided.
#pragma once

#include "llvm/IR/PassManager.h"

namespace nereid::gpu {

class SplitSumsPass : public llvm::PassInfoMixin<SplitSumsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace nereid::gpu
