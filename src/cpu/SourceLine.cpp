#include "cpu/SourceLine.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace nereid::cpu {

// Where the instruction stands in its section of the object: as far behind the entry as it is in memory.
static std::optional<object::SectionedAddress> addressIn(const object::ObjectFile &file, const LoadedKernel &kernel,
                                                         uint64_t instruction) {
  for (const object::SymbolRef &symbol : file.symbols()) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint64_t> value = symbol.getValue();
    Expected<object::section_iterator> section = symbol.getSection();
    // The file of the object has the same name.
    bool isEntry = name && value && section && *section != file.section_end() && *name == kernel.artifact().name;
    if (isEntry)
      return object::SectionedAddress{*value + instruction - reinterpret_cast<uint64_t>(kernel.entry()),
                                      (*section)->getIndex()};
    consumeError(name.takeError());
    consumeError(value.takeError());
    consumeError(section.takeError());
  }
  return std::nullopt;
}

std::optional<SourceLine> sourceLineOf(const LoadedKernel &kernel, uint64_t instruction) {
  std::span<const std::byte> code = kernel.code();
  if (instruction - reinterpret_cast<uint64_t>(code.data()) >= code.size())
    return std::nullopt;
  const std::vector<std::byte> &bytes = kernel.artifact().object;
  MemoryBufferRef buffer(StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()), "kernel");
  Expected<std::unique_ptr<object::ObjectFile>> file = object::ObjectFile::createELFObjectFile(buffer);
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  std::optional<object::SectionedAddress> address = addressIn(**file, kernel, instruction);
  if (!address)
    return std::nullopt;
  std::unique_ptr<DWARFContext> context = DWARFContext::create(**file);
  std::optional<DILineInfo> found = context->getLineInfoForAddress(
      *address, {DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, DINameKind::None});
  if (!found || found->Line == 0)
    return std::nullopt;
  return SourceLine{found->FileName, found->Line, found->Column};
}

} // namespace nereid::cpu
