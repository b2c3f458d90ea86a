// Ptx.cpp: a short pass pipeline, then LLVM's code generator for NVPTX.
//
// Tiles are vectors in our IR; a thread has no vector registers, so they are taken apart first, and then everything
// that is computed twice, or for registers that nobody reads, goes away.
#include "gpu/nvidia/Ptx.h"

#include "codegen/Emit.h"
#include "codegen/Passes.h"
#include "codegen/RunPasses.h"
#include "codegen/math/Outline.h"
#include "gpu/nvidia/AvoidFaults.h"
#include "gpu/nvidia/ConstantsLast.h"
#include "gpu/nvidia/HideNegations.h"
#include "gpu/nvidia/SplitTiles.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace llvm;

namespace nereid::gpu {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static std::unique_ptr<TargetMachine> makeMachine(const Options &options) {
  initializeTarget();
  std::string problem;
  Triple triple(kTriple);
  const llvm::Target *backEnd = TargetRegistry::lookupTarget(triple, problem);
  if (!backEnd)
    return nullptr;
  TargetOptions settings;
  settings.AllowFPOpFusion = FPOpFusion::Standard; // what we mark with `contract`
  return std::unique_ptr<TargetMachine>(
      backEnd->createTargetMachine(triple, options.target.name, ptxFeaturesFor(options.target), settings, std::nullopt,
                                   std::nullopt, CodeGenOptLevel::Aggressive));
}

// Kept for the next module of this thread.
static TargetMachine *machineFor(const Options &options) {
  thread_local std::string key;
  thread_local std::unique_ptr<TargetMachine> machine;
  if (!machine || key != options.target.name) {
    machine = makeMachine(options);
    key = options.target.name;
  }
  return machine.get();
}

static void prepare(Module &module, TargetMachine &machine) {
  module.setTargetTriple(Triple(kTriple));
  module.setDataLayout(machine.createDataLayout());
}

// Of 64 bits by what is not known: a hundred instructions, or a branch around them. Most are of numbers that 32 bits hold.
static bool hasLongDivision(const Module &module) {
  return any_of(module, [](const Function &function) {
    return any_of(instructions(function), [](const Instruction &instruction) {
      return instruction.isIntDivRem() && instruction.getType()->getScalarSizeInBits() == 64 &&
             !isa<Constant>(instruction.getOperand(1));
    });
  });
}

void optimizeForPtx(Module &module, const Options &options) {
  TargetMachine *machine = machineFor(options);
  if (!machine)
    return; // emitPtx says so
  prepare(module, *machine);
  codegen::terms::inlineSingleUses(module);
  FunctionPassManager passes;
  passes.addPass(SplitTilesPass());
  codegen::addCommonPasses(passes);
  if (hasLongDivision(module))
    passes.addPass(CorrelatedValuePropagationPass());
  passes.addPass(ConstantsLastPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(AvoidFaultsPass());
  codegen::runPasses(module, *machine, std::move(passes));
}

// These rewrite addresses, and took up to 80 % of the compilation of a product. With the last of them alone ptxas
// recomputes addresses in the loops of products (7 % slower); without all three their machine code is shorter. Loops over
// rows need them (8 % slower without).
constexpr StringRef kRewriteAddresses[] = {"Straight line strength reduction", "Nary reassociation",
                                           "Loop Strength Reduction"};

// They compare expressions with all before them: a thread with a thousand elements to multiply took minutes.
static bool hasLongBlock(const Function &function) {
  constexpr size_t kLongBlock = 16384;
  return any_of(function, [](const BasicBlock &block) { return block.size() > kLongBlock; });
}

static ArrayRef<StringRef> passesLeftOut(const Module &module) {
  bool areLeftOut = any_of(module, [](const Function &function) {
    return function.hasFnAttribute(kFormsAddresses) || hasLongBlock(function);
  });
  return areLeftOut ? ArrayRef(kRewriteAddresses) : ArrayRef<StringRef>();
}

Result<std::string> emitPtx(Module &module, const Options &options) {
  TargetMachine *machine = machineFor(options);
  if (!machine)
    return Error{Status::Environment, "this build has no code generator for NVIDIA GPUs"};
  prepare(module, *machine);
  codegen::Emitted emitted = codegen::emitFile(module, *machine, CodeGenFileType::AssemblyFile, passesLeftOut(module));
  if (emitted.isRefused || !emitted.problems.empty())
    return codegen::bugIn(module.getName(), "no PTX for `" + options.target.name + "`: " + emitted.problems);
  return hideNegations(std::string(emitted.bytes.data(), emitted.bytes.size()));
}

} // namespace nereid::gpu
