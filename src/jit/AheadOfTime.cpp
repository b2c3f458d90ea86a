// AheadOfTime.cpp: signature to tile IR, to machine code, to a file.
#include "jit/AheadOfTime.h"

#include "compiler/CompileCpu.h"
#include "jit/Header.h"
#include "jit/SpecializedTile.h"
#include "runtime/cpu/ElfFile.h"
#include "runtime/cpu/RuntimeFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"
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

// A few functions have no machine code of their own: in this process the interpreter computes them, in another program
// nobody would.
static Result<void> checkStandsAlone(const std::string &kernel, const cpu::Artifact &artifact) {
  Result<cpu::ElfFile> file = cpu::ElfFile::read(artifact.object);
  if (!file)
    return file.error();
  for (const Elf64_Sym &symbol : file->symbols()) {
    std::string_view name = file->nameOf(symbol);
    if (symbol.st_shndx != SHN_UNDEF || name.empty() || cpu::findRuntimeFunction(name))
      continue;
    name.remove_prefix(std::min(name.find(':') + 1, name.size()));
    return Error{Status::BadInput,
                 "error: `" + kernel + "` uses `" + std::string(name) + "`, which can not be compiled ahead of time\n"};
  }
  return {};
}

Result<std::string> compileAheadOfTime(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                       std::vector<NamedHostValue> arguments, const Settings &settings,
                                       const AheadOfTimeOptions &options) {
  Result<SpecializedTile> specialized = compileTile(module, kernel, std::move(arguments), settings);
  if (!specialized)
    return specialized.error();
  compiler::TileModule &compiled = specialized->tile;
  compiled.kernel().setSymName(symbolFor(kernel->name, compiled, options.target));

  // Nothing is known of the memory that a program will pass.
  compiler::CpuOptions lowering{.mayOverlap = true, .debugInfo = true};
  if (options.stage == CpuStage::Llvm)
    return compileCpuText(compiled, options.target, lowering, compiler::CpuStage::Llvm);
  if (options.stage == CpuStage::Assembly)
    return compileCpuText(compiled, options.target, lowering, compiler::CpuStage::Assembly);
  Result<cpu::Artifact> artifact = compileCpu(compiled, options.target, lowering);
  if (!artifact)
    return artifact.error();
  if (Result<void> alone = checkStandsAlone(kernel->name, *artifact); !alone)
    return alone.error();
  if (options.stage == CpuStage::Object)
    return std::string(reinterpret_cast<const char *>(artifact->object.data()), artifact->object.size());
  std::string file = kernel->module->source ? kernel->module->source->name() : kernel->module->name;
  return emitHeader({*kernel, specialized->specialization.specs, *artifact, options.target, file, options.launcher});
}

} // namespace nereid::jit
