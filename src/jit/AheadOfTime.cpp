// AheadOfTime.cpp: signature to tile IR, to LLVM IR, to a file.
#include "jit/AheadOfTime.h"

#include "cpu/Lower.h"
#include "cpu/Object.h"
#include "jit/Header.h"
#include "jit/Specialize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

namespace nereid::jit {

// The name of the kernel in the object. Two specializations of one kernel can be linked into one program, and an object
// with another one's header cannot.
static std::string symbolFor(const std::string &kernel, const compiler::TileModule &tile, const cpu::Target &target) {
  std::string name;
  for (char c : kernel)
    name += llvm::isAlnum(c) ? c : '_';
  uint64_t hash = llvm::xxh3_64bits(tile.text() + target.key());
  return name + "_" + llvm::formatv("{0:x-8}", uint32_t(hash ^ hash >> 32)).str();
}

static std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

Result<std::string> compileAheadOfTime(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                       std::vector<NamedHostValue> arguments, const Settings &settings,
                                       const AheadOfTimeOptions &options) {
  Result<Binding> binding = bind(module, kernel, std::move(arguments), settings);
  if (!binding)
    return binding.error();
  Result<Specialization> specialization = specialize(*binding);
  if (!specialization)
    return specialization.error();
  compiler::TileModule compiled = module.compiler.compile(*binding->kernel, specialization->specs, binding->options);
  if (!compiled.module)
    return module.takeError();
  compiled.kernel().setSymName(symbolFor(kernel->name, compiled, options.target));

  llvm::LLVMContext context;
  cpu::Artifact artifact;
  // Nothing is known of the memory that a program will pass.
  cpu::LowerOptions lowering{.mayOverlap = true, .debugInfo = true};
  const cpu::Target &target = options.target;
  Result<std::unique_ptr<llvm::Module>> code = cpu::lower(compiled.kernel(), target, lowering, context, artifact);
  if (!code)
    return code.error();
  if (options.stage == CpuStage::Header) {
    std::string file = kernel->module->source ? kernel->module->source->name() : kernel->module->name;
    return emitHeader({*kernel, specialization->specs, artifact, target, file, options.launcher});
  }
  cpu::optimize(**code, target);
  if (options.stage == CpuStage::Llvm)
    return textOf(**code);
  if (options.stage == CpuStage::Assembly)
    return cpu::emitAssembly(**code, target);
  Result<std::vector<std::byte>> object = cpu::emitObject(**code, target);
  if (!object)
    return object.error();
  return std::string(reinterpret_cast<const char *>(object->data()), object->size());
}

} // namespace nereid::jit
