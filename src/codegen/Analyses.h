// Analyses.h: the analyses that our pass pipelines ask for. LLVM's PassBuilder would name every pass there is, and so
// link all of them.
#pragma once

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace nereid::codegen {

class Analyses {
public:
  explicit Analyses(llvm::TargetMachine &machine);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::ModuleAnalysisManager module;

private:
  void registerFunctionAnalyses(llvm::TargetMachine &machine);
};

} // namespace nereid::codegen
