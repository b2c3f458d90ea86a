// KernelFuzzer.cpp: whole kernels from a grammar, loaded and compiled to tile IR: IR that verifies, or a diagnostic with a
// place, within the time and memory of its options. What compiles is translated for the interpreter, too.
// libraries: nereidCompiler
// sources: fuzz/KernelGrammar.cpp
#include "KernelGrammar.h"

#include "compiler/Compiler.h"
#include "interp/Interp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdio>
#include <cstdlib>

using namespace nereid;

static lang::ArgumentSpec scalar(std::string_view type) {
  lang::ArgumentSpec spec;
  spec.kind = lang::ArgumentSpec::Kind::Scalar;
  spec.type = *lang::Type::parse(type);
  return spec;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text = fuzz::KernelGrammar(data, size).file();
  if (std::getenv("NEREID_FUZZ_PRINT"))
    std::fputs(text.c_str(), stderr);
  compiler::Compiler compiler;
  std::shared_ptr<lang::Module> module = compiler.loadText("fuzz.py", text);
  auto fail = [&](const char *why) {
    std::fprintf(stderr, "%s\n%s\n%s", why, text.c_str(), compiler.takeDiagnostics().render().c_str());
    std::abort();
  };
  if (!module)
    fail("the grammar made something that does not parse");
  std::shared_ptr<lang::Function> kernel = compiler.findKernel(*module, "kernel");
  if (!kernel)
    fail("the kernel is not found");
  lang::ArgumentSpec constant;
  constant.constant = lang::Value(16);
  compiler::TileModule tile = compiler.compile(
      *kernel, {scalar("*fp32"), scalar("*i8"), scalar("i32"), scalar("u64"), constant, scalar("fp32")});
  bool isRefused = false;
  for (const Diagnostic &diagnostic : compiler.diagnostics().all()) {
    if (diagnostic.message.find("internal error in Nereid") != std::string::npos)
      fail("a message that blames us");
    isRefused |= diagnostic.severity == Severity::Error;
  }
  compiler.diagnostics().render();
  if (isRefused == bool(tile.module))
    fail("neither compiled nor refused, or both");
  if (!tile.module)
    return 0;
  runtime::Failure failure;
  if (!interp::translate(tile.kernel(), failure) && failure.message.empty())
    fail("not translated, and no reason");
  return 0;
}
