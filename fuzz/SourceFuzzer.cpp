// SourceFuzzer.cpp: bytes as a kernel file: parsed, loaded, and every jit function of it compiled to tile IR with arguments
// that are guessed from the names and annotations of its parameters. Whatever the text, it ends in IR or in a diagnostic:
// never in a crash, a hang, a leak, or IR that does not verify.
// libraries: nereidCompiler
#include "compiler/Compiler.h"

#include <cstdio>
#include <cstdlib>

using namespace nereid;

namespace {

lang::ArgumentSpec scalar(std::string_view type) {
  lang::ArgumentSpec spec;
  spec.kind = lang::ArgumentSpec::Kind::Scalar;
  spec.type = *lang::Type::parse(type);
  return spec;
}

// A constexpr is a small power of two; a name with `ptr`, or a short one from the front of the alphabet, is a pointer;
// the rest are integers.
lang::ArgumentSpec guess(const lang::Parameter &parameter) {
  lang::ArgumentSpec spec;
  if (parameter.kind == lang::Parameter::Kind::VarArgs) {
    spec.kind = lang::ArgumentSpec::Kind::Tuple;
    spec.items = {scalar("*fp32"), scalar("i32")};
    return spec;
  }
  if (parameter.defaultValue) {
    spec.constant = parameter.defaultValue;
    return spec;
  }
  if (parameter.isConstexpr) {
    spec.constant = lang::Value(16);
    return spec;
  }
  if (parameter.type && !parameter.type->isVoid()) {
    spec.kind = lang::ArgumentSpec::Kind::Scalar;
    spec.type = *parameter.type;
    return spec;
  }
  const std::string &name = parameter.name;
  if (name.find("desc") != std::string::npos) {
    spec.kind = lang::ArgumentSpec::Kind::Descriptor;
    spec.type = lang::Type(lang::Scalar::Fp16).withShape({16, 16});
    return spec;
  }
  bool isPointer = name.find("ptr") != std::string::npos ||
                   (name.size() == 1 && std::string_view("pqabcxyz").find(name) != std::string_view::npos);
  return scalar(isPointer ? "*fp32" : "i32");
}

// A message that blames us is a crash too.
void expectNoBug(const Diagnostics &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.message.find("internal error in Nereid") != std::string::npos) {
      std::fprintf(stderr, "%s", render(diagnostic).c_str());
      std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 1 << 14)
    return 0;
  compiler::Compiler compiler;
  auto module = compiler.loadText("fuzz.py", std::string(reinterpret_cast<const char *>(data), size));
  if (!module)
    return 0;
  for (const auto &entry : compiler.loader().jitFunctions(*module)) {
    std::vector<lang::ArgumentSpec> arguments;
    for (const lang::Parameter &parameter : entry.function->parameters)
      arguments.push_back(guess(parameter));
    compiler.compile(*entry.function, arguments);
  }
  Diagnostics said = compiler.takeDiagnostics();
  said.render();
  expectNoBug(said);
  return 0;
}
