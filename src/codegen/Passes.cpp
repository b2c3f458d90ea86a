#include "codegen/Passes.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LastRunTrackingAnalysis.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace nereid::codegen {

namespace {

template <class Analysis, class Manager> void add(Manager &manager) {
  manager.registerPass([] { return Analysis(); });
}

// The analyses that our passes ask for. LLVM's PassBuilder would name every pass there is, and so link all of them.
class Analyses {
public:
  explicit Analyses(TargetMachine &machine);

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  ModuleAnalysisManager module;

private:
  void registerFunctionAnalyses(TargetMachine &machine);
};

Analyses::Analyses(TargetMachine &machine) {
  registerFunctionAnalyses(machine);
  add<PassInstrumentationAnalysis>(loops);
  add<PassInstrumentationAnalysis>(module);
  add<ProfileSummaryAnalysis>(module);
  module.registerPass([&] { return FunctionAnalysisManagerModuleProxy(functions); });
  functions.registerPass([&] { return ModuleAnalysisManagerFunctionProxy(module); });
  functions.registerPass([&] { return LoopAnalysisManagerFunctionProxy(loops); });
  loops.registerPass([&] { return FunctionAnalysisManagerLoopProxy(functions); });
}

void Analyses::registerFunctionAnalyses(TargetMachine &machine) {
  functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
  functions.registerPass([] {
    AAManager aliases;
    aliases.registerFunctionAnalysis<BasicAA>();
    aliases.registerFunctionAnalysis<ScopedNoAliasAA>();
    return aliases;
  });
  add<PassInstrumentationAnalysis>(functions);
  add<TargetLibraryAnalysis>(functions);
  add<BasicAA>(functions);
  add<ScopedNoAliasAA>(functions);
  add<AssumptionAnalysis>(functions);
  add<DominatorTreeAnalysis>(functions);
  add<PostDominatorTreeAnalysis>(functions);
  add<LoopAnalysis>(functions);
  add<MemorySSAAnalysis>(functions);
  add<ScalarEvolutionAnalysis>(functions);
  add<LazyValueAnalysis>(functions);
  add<BranchProbabilityAnalysis>(functions);
  add<BlockFrequencyAnalysis>(functions);
  add<LastRunTrackingAnalysis>(functions);
  add<OptimizationRemarkEmitterAnalysis>(functions);
}

} // namespace

void addCommonPasses(FunctionPassManager &passes) {
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  LoopPassManager loops;
  loops.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
}

void runPasses(Module &module, TargetMachine &machine, FunctionPassManager passes) {
  Analyses analyses(machine);
  ModulePassManager all;
  all.addPass(AlwaysInlinerPass());
  all.addPass(GlobalDCEPass());
  all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, analyses.module);
}

} // namespace nereid::codegen
