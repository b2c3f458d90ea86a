#include "CompileText.h"

#include "cpu/Object.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace nereid::cpu {

std::vector<std::byte> compileText(const std::string &text, const Target &target) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  if (!module)
    return {};
  optimize(*module, target);
  Result<std::vector<std::byte>> object = emitObject(*module, target);
  EXPECT_TRUE(object) << object.error().message;
  return object ? *object : std::vector<std::byte>();
}

} // namespace nereid::cpu
