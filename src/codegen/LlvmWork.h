// LlvmWork.h: what LLVM works on in one compilation. LLVM is built without exceptions: one that passed through it (memory
// ended) left its work half done and cleaned nothing up. Then it must not be taken down, and stays in memory as it is.
#pragma once

#include <exception>
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace nereid::codegen {

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

} // namespace nereid::codegen
