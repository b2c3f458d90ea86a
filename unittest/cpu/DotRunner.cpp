// DotRunner.cpp: a function around one product, our code generator, and LLVM's own loader to run it.
#include "DotRunner.h"

#include "DotEmulation.h"

#include "cpu/Object.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <ctime>

namespace nereid::cpu::test {

using Entry = void (*)(const void *lhs, int64_t lhsRow, int64_t lhsColumn, const void *rhs, int64_t rhsRow,
                       int64_t rhsColumn, void *acc, void *scratch);

struct DotRunner::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  Entry entry = nullptr;
};

static void buildProduct(llvm::Module &module, const Target &target, const DotSpec &spec, Strides lhs, Strides rhs) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy(), *index = builder.getInt64Ty();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {pointer, index, index, pointer, index, index, pointer, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "product", module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  auto operand = [&](unsigned first, Strides strides) {
    DotOperand result{function->getArg(first), function->getArg(first + 1), function->getArg(first + 2)};
    if (strides == Strides::RowMajor)
      result.columnStride = builder.getInt64(1);
    if (strides == Strides::ColumnMajor)
      result.rowStride = builder.getInt64(1);
    return result;
  };
  emitDot(builder, target, spec, operand(0, lhs), operand(3, rhs), function->getArg(6), function->getArg(7));
  builder.CreateRetVoid();
}

DotRunner::~DotRunner() = default;

DotRunner::DotRunner(const Target &target, const DotSpec &spec, Strides lhs, Strides rhs)
    : scratchBytes(dotScratchBytes(spec, target)), state(std::make_unique<State>()) {
  std::clock_t begin = std::clock(); // of the processor: others share it
  llvm::LLVMContext context;
  llvm::Module module("dot", context);
  buildProduct(module, target, spec, lhs, rhs);
  llvm::raw_string_ostream problems(error);
  if (llvm::verifyModule(module, &problems))
    return;
  bool isEmulated = !target.runsHere();
  if (isEmulated)
    emulateInstructions(module);
  const Target &machine = isEmulated ? hostTarget() : target;
  optimize(module, machine);
  Result<std::vector<std::byte>> object = emitObject(module, machine);
  if (!object) {
    error = object.error().message;
    return;
  }
  compileMilliseconds = 1e3 * double(std::clock() - begin) / CLOCKS_PER_SEC;
  static const bool isReady = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  (void)isReady;
  state->jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::StringRef bytes(reinterpret_cast<const char *>(object->data()), object->size());
  llvm::cantFail(state->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(bytes)));
  state->entry = llvm::cantFail(state->jit->lookup("product")).toPtr<Entry>();
}

void DotRunner::run(RunOperand lhs, RunOperand rhs, void *acc, void *scratch) const {
  state->entry(lhs.data, lhs.rowStride, lhs.columnStride, rhs.data, rhs.rowStride, rhs.columnStride, acc, scratch);
}

std::string assemblyOf(const Target &target, const DotSpec &spec, Strides lhs, Strides rhs) {
  llvm::LLVMContext context;
  llvm::Module module("dot", context);
  buildProduct(module, target, spec, lhs, rhs);
  optimize(module, target);
  Result<std::string> text = emitAssembly(module, target);
  return text ? *text : text.error().message;
}

} // namespace nereid::cpu::test
