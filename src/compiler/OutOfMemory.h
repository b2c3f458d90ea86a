// OutOfMemory.h: what happens where the compiler gets no memory. LLVM and MLIR are built without exceptions and would end the
// process; here std::bad_alloc passes through them, to the caller of the library or to the handler of the program.
#pragma once

#include <exception>
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace nereid::compiler {

// Once, before LLVM is used: where it gets no memory, std::get_new_handler() is called, then std::bad_alloc thrown.
void throwWhereMemoryEnds();

// What LLVM works on. An exception that passed through LLVM left it half done (its own frames clean nothing up): then it
// is left alone, and its memory with it.
class LlvmWork {
public:
  LlvmWork();
  ~LlvmWork();
  LlvmWork(const LlvmWork &) = delete;

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module; // of this context

private:
  int exceptions = std::uncaught_exceptions();
};

} // namespace nereid::compiler
