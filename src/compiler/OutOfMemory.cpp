#include "compiler/OutOfMemory.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>
#include <new>

namespace nereid::compiler {

void throwWhereMemoryEnds() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_bad_alloc_error_handler([](void *, const char *, bool) {
      if (std::new_handler handler = std::get_new_handler())
        handler();
      throw std::bad_alloc();
    });
  });
}

LlvmWork::LlvmWork() : context(std::make_unique<llvm::LLVMContext>()) {}

LlvmWork::~LlvmWork() {
  if (std::uncaught_exceptions() == exceptions)
    return;
  (void)module.release();
  (void)context.release();
}

} // namespace nereid::compiler
