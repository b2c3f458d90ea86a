// ElfFile.cpp: reads the header, the sections, the symbols and the relocations, checking each.
#include "runtime/cpu/ElfFile.h"

#include <cstring>

namespace nereid::cpu {

Error damaged(std::string_view detail) {
  return Error{Status::Environment, "the object is damaged: " + std::string(detail)};
}

// Unaligned, because a file may start anywhere in a cache entry. The caller has checked the range.
template <class T> T ElfFile::at(uint64_t offset) const {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Result<ElfFile> ElfFile::read(std::span<const std::byte> bytes) {
  ElfFile file;
  file.bytes = bytes;
  if (!file.holds(0, sizeof(Elf64_Ehdr)))
    return damaged("it is shorter than an ELF header");
  file.header = file.at<Elf64_Ehdr>(0);
  const unsigned char *ident = file.header.e_ident;
  if (std::memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
    return damaged("it is no 64-bit little-endian ELF file");
  if (file.header.e_type != ET_REL)
    return damaged("it is no relocatable ELF file");
  if (Result<void> done = file.readSections(); !done)
    return done.error();
  if (Result<void> done = file.readSymbols(); !done)
    return done.error();
  return file;
}

Result<void> ElfFile::readSections() {
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return damaged("its section headers have an unknown size");
  if (!holds(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)))
    return damaged("its section headers lie outside of the file");
  sectionHeaders.reserve(header.e_shnum);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    sectionHeaders.push_back(at<Elf64_Shdr>(headerOffset(i)));
    const Elf64_Shdr &section = sectionHeaders.back();
    if (section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS && !holds(section.sh_offset, section.sh_size))
      return damaged("a section lies outside of the file");
  }
  return {};
}

Result<void> ElfFile::readSymbols() {
  for (const Elf64_Shdr &section : sectionHeaders) {
    if (section.sh_type != SHT_SYMTAB)
      continue;
    if (section.sh_entsize != sizeof(Elf64_Sym) || section.sh_link >= sectionHeaders.size())
      return damaged("its symbol table is malformed");
    const Elf64_Shdr &strings = sectionHeaders[section.sh_link];
    if (strings.sh_type != SHT_STRTAB)
      return damaged("its symbol table has no names");
    symbolNames = contents(strings);
    size_t count = section.sh_size / sizeof(Elf64_Sym);
    symbolTable.reserve(count);
    for (size_t i = 0; i < count; ++i)
      symbolTable.push_back(at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym)));
    break;
  }
  for (const Elf64_Sym &symbol : symbolTable) {
    if (symbol.st_name >= symbolNames.size() && symbol.st_name != 0)
      return damaged("a symbol's name lies outside of the file");
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS)
      continue;
    if (symbol.st_shndx >= sectionHeaders.size())
      return damaged("a symbol lies in a section that does not exist");
    uint64_t size = sectionHeaders[symbol.st_shndx].sh_size;
    if (symbol.st_value > size || symbol.st_size > size - symbol.st_value)
      return damaged("a symbol lies outside of its section");
  }
  return {};
}

std::span<const std::byte> ElfFile::contents(const Elf64_Shdr &section) const {
  return bytes.subspan(section.sh_offset, section.sh_size);
}

std::string_view ElfFile::nameOf(const Elf64_Sym &symbol) const {
  if (symbol.st_name >= symbolNames.size())
    return {};
  std::string_view rest(reinterpret_cast<const char *>(symbolNames.data()) + symbol.st_name,
                        symbolNames.size() - symbol.st_name);
  return rest.substr(0, rest.find('\0'));
}

Result<std::vector<RelocationTable>> ElfFile::relocations(const std::vector<bool> &isWanted) const {
  std::vector<RelocationTable> tables;
  for (const Elf64_Shdr &section : sectionHeaders) {
    if (section.sh_type != SHT_RELA && section.sh_type != SHT_REL)
      continue;
    if (section.sh_info >= sectionHeaders.size())
      return damaged("relocations refer to a section that does not exist");
    if (!isWanted[section.sh_info])
      continue;
    if (section.sh_type == SHT_REL || section.sh_entsize != sizeof(Elf64_Rela))
      return damaged("its relocations have an unknown form");
    RelocationTable &table = tables.emplace_back();
    table.target = section.sh_info;
    size_t count = section.sh_size / sizeof(Elf64_Rela);
    table.entries.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      table.entries.push_back(at<Elf64_Rela>(section.sh_offset + i * sizeof(Elf64_Rela)));
      const Elf64_Rela &entry = table.entries.back();
      if (ELF64_R_SYM(entry.r_info) >= symbolTable.size())
        return damaged("a relocation refers to a symbol that does not exist");
      if (entry.r_offset >= sectionHeaders[table.target].sh_size)
        return damaged("a relocation lies outside of its section");
    }
  }
  return tables;
}

} // namespace nereid::cpu
