// AheadOfTime.cpp: signature to tile IR, to machine code for a CPU, to a file.
#include "jit/AheadOfTime.h"

#include "jit/Header.h"
#include "jit/Reproducer.h"
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

static Result<std::string> emit(SpecializedTile &specialized, const EmitRequest &request) {
  using compiler::Stage;
  const cpu::Target &target = *request.target.cpu;
  specialized.tile.kernel().setSymName(symbolFor(request.kernel->name, specialized.tile, target));
  // Nothing is known of the memory that a program will pass.
  compiler::CodeOptions options{.mayOverlap = true, .debugInfo = true};
  if (request.stage != Stage::Object && request.stage != Stage::Header)
    return compiler::stageText(std::move(specialized.tile), request.target, options, request.stage);
  Result<cpu::Artifact> artifact = compiler::compileCpu(std::move(specialized.tile), target, options);
  if (!artifact)
    return artifact.error();
  const lang::Function &kernel = *request.kernel;
  if (Result<void> alone = checkStandsAlone(kernel.name, *artifact); !alone)
    return alone.error();
  if (request.stage == Stage::Object)
    return std::string(reinterpret_cast<const char *>(artifact->object.data()), artifact->object.size());
  std::string file = kernel.module->source ? kernel.module->source->name() : kernel.module->name;
  return emitHeader({kernel, specialized.specialization.specs, *artifact, target, file, request.name});
}

Result<std::string> withTile(const EmitRequest &request, const FromTile &make) {
  auto compile = [&] { return compileTile(request.module, request.kernel, request.signature, request.settings); };
  Result<SpecializedTile> specialized = compile();
  if (!specialized)
    return specialized.error();
  Result<std::string> made = make(*specialized);
  if (made)
    return made;
  return withReproducer(made.error(),
                        {request.module, specialized->binding, specialized->specialization, request.target.name}, [&] {
                          if (Result<SpecializedTile> again = compile())
                            (void)make(*again);
                        });
}

Result<std::string> emitForCpu(const EmitRequest &request) {
  return withTile(request, [&](SpecializedTile &specialized) { return emit(specialized, request); });
}

} // namespace nereid::jit
