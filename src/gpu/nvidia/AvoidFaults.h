// AvoidFaults.h: what NVIDIA's assembler makes wrong code of is written in another way.
#pragma once

#include "llvm/IR/PassManager.h"

namespace nereid::gpu {

// The last pass: nothing after it may write things in the old way again.
class AvoidFaultsPass : public llvm::PassInfoMixin<AvoidFaultsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace nereid::gpu
