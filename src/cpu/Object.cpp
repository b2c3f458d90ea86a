// Object.cpp: a short pass pipeline, then LLVM's code generator.
//
// Our IR is vectors and explicit loops already, so the pipeline only removes what the emitter writes without thinking:
// stack slots, repeated address arithmetic, invariants inside loops, empty blocks. Each pass here was kept because it
// pays for its time on the library kernels; vectorizers and unrollers cost the most and change nothing.
#include "cpu/Object.h"

#include "codegen/Emit.h"
#include "codegen/Passes.h"
#include "cpu/LlvmFaults.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace llvm;

namespace nereid::cpu {

// Only these two: a static LLVM then carries no other back end.
static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // for inline assembly
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
    disableFaultyPasses();
  });
}

static std::unique_ptr<TargetMachine> makeMachine(const Target &target) {
  initializeTargets();
  std::string problem;
  Triple triple(target.triple);
  const llvm::Target *backEnd = TargetRegistry::lookupTarget(triple, problem);
  if (!backEnd)
    return nullptr;
  TargetOptions options;
  // Position-independent with the small model: the loader keeps an object's sections within 2 GB of each other, and
  // the same object can be linked into a shared library.
  return std::unique_ptr<TargetMachine>(backEnd->createTargetMachine(
      triple, target.base, target.features, options, Reloc::PIC_, CodeModel::Small, CodeGenOptLevel::Default));
}

// Without these, LLVM splits 512-bit vectors on the CPUs whose clock they used to lower.
static void setFunctionAttributes(Module &module, const Target &target) {
  std::string bits = std::to_string(target.vectorBits);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.base);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    if (!target.tuning.empty())
      function.addFnAttr("tune-cpu", target.tuning);
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("min-legal-vector-width", bits);
    function.addFnAttr(Attribute::NoUnwind);
  }
}

// The machine is kept for the next module of this thread: it caches its tables, which cost a third of a small kernel.
static TargetMachine *machineFor(const Target &target) {
  thread_local std::string key;
  thread_local std::unique_ptr<TargetMachine> machine;
  if (!machine || key != target.key()) {
    machine = makeMachine(target);
    key = target.key();
  }
  return machine.get();
}

static void prepare(Module &module, const Target &target, TargetMachine &machine) {
  module.setTargetTriple(Triple(target.triple));
  module.setDataLayout(machine.createDataLayout());
  setFunctionAttributes(module, target);
}

void optimize(Module &module, const Target &target) {
  TargetMachine *machine = machineFor(target);
  if (!machine)
    return; // emitObject says so
  prepare(module, target, *machine);
  FunctionPassManager passes;
  codegen::addCommonPasses(passes);
  passes.addPass(SimplifyCFGPass());
  codegen::runPasses(module, *machine, std::move(passes));
}

bool usesTileRegisters(const Module &module) {
  for (const Function &function : module)
    if (function.getName().starts_with("llvm.x86.tile") || function.getName().starts_with("llvm.x86.tdp"))
      return true;
  return false;
}

static Result<SmallVector<char, 0>> emit(Module &module, const Target &target, CodeGenFileType type) {
  TargetMachine *machine = machineFor(target);
  if (!machine)
    return Error{Status::Environment, "this build has no code generator for `" + target.triple + "`"};
  prepare(module, target, *machine);
  rewriteFaultyStores(module);
  codegen::Emitted emitted = codegen::emitFile(module, *machine, type);
  if (emitted.isRefused)
    return Error{Status::Environment, "the code generator for `" + target.triple + "` writes no such file"};
  if (!emitted.problems.empty())
    return Error{Status::BadInput, "no machine code for " + target.text() + ": " + emitted.problems};
  return std::move(emitted.bytes);
}

Result<std::vector<std::byte>> emitObject(Module &module, const Target &target) {
  Result<SmallVector<char, 0>> text = emit(module, target, CodeGenFileType::ObjectFile);
  if (!text)
    return text.error();
  const auto *first = reinterpret_cast<const std::byte *>(text->data());
  return std::vector<std::byte>(first, first + text->size());
}

Result<std::string> emitAssembly(Module &module, const Target &target) {
  Result<SmallVector<char, 0>> text = emit(module, target, CodeGenFileType::AssemblyFile);
  if (!text)
    return text.error();
  return std::string(text->data(), text->size());
}

} // namespace nereid::cpu
