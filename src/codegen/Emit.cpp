#include "codegen/Emit.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"

namespace nereid::codegen {

using namespace llvm;

namespace {
class ErrorCollector : public DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream stream(text);
    stream << (text.empty() ? "" : "; ");
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

private:
  std::string &text;
};

class ShorterPipeline : public legacy::PassManager {
public:
  explicit ShorterPipeline(ArrayRef<StringRef> without) : without(without) {}
  void add(Pass *pass) override {
    if (is_contained(without, pass->getPassName()))
      delete pass;
    else
      legacy::PassManager::add(pass);
  }

private:
  ArrayRef<StringRef> without;
};

// Strength reduction asks for every loop what the conditions of all loops before it imply: with n loops one after the
// other its time grows with the cube of n. A function with this many gains little by it.
constexpr size_t kManyLoops = 128;

bool hasManyLoops(Module &module) {
  return any_of(module, [](Function &function) {
    if (function.size() <= kManyLoops) // blocks: cheap to know
      return false;
    DominatorTree dominators(function);
    return LoopInfo(dominators).getLoopsInPreorder().size() > kManyLoops;
  });
}
} // namespace

Emitted emitFile(Module &module, TargetMachine &machine, CodeGenFileType type, ArrayRef<StringRef> without) {
  Emitted result;
  LLVMContext &context = module.getContext();
  std::unique_ptr<DiagnosticHandler> before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(result.problems));
  raw_svector_ostream stream(result.bytes);
  SmallVector<StringRef> leftOut(without);
  if (hasManyLoops(module))
    leftOut.push_back("Loop Strength Reduction");
  ShorterPipeline passes(leftOut);
  result.isRefused = machine.addPassesToEmitFile(passes, stream, nullptr, type);
  if (!result.isRefused)
    passes.run(module);
  context.setDiagnosticHandler(std::move(before));
  return result;
}

AtomicRMWInst::BinOp operationOf(tile::RmwKind kind) {
  using Op = AtomicRMWInst;
  switch (kind) {
  case tile::RmwKind::And: return Op::And;
  case tile::RmwKind::Or: return Op::Or;
  case tile::RmwKind::Xor: return Op::Xor;
  case tile::RmwKind::Add: return Op::Add;
  case tile::RmwKind::FAdd: return Op::FAdd;
  case tile::RmwKind::Max: return Op::Max;
  case tile::RmwKind::Min: return Op::Min;
  case tile::RmwKind::UMax: return Op::UMax;
  case tile::RmwKind::UMin: return Op::UMin;
  case tile::RmwKind::FMax: return Op::FMax;
  case tile::RmwKind::FMin: return Op::FMin;
  case tile::RmwKind::Xchg: return Op::Xchg;
  }
  return Op::Add;
}

} // namespace nereid::codegen
