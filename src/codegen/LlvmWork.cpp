#include "codegen/LlvmWork.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace nereid::codegen {

LlvmWork::LlvmWork() : context(std::make_unique<llvm::LLVMContext>()) {}

LlvmWork::~LlvmWork() {
  if (std::uncaught_exceptions() == exceptions)
    return;
  (void)module.release();
  (void)context.release();
}

} // namespace nereid::codegen
