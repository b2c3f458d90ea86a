// ElfFile.h: a view of a relocatable ELF file in memory. Nothing of the file is believed: every offset, size and index
// is checked before it is used, so a damaged file is an error and never a bad access.
#pragma once

#include "nereid/result.hpp"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nereid::cpu {

// Relocations of one section, with what its header refers to.
struct RelocationTable {
  uint32_t target = 0; // the section that is patched
  std::vector<Elf64_Rela> entries;
};

class ElfFile {
public:
  // Keeps a view of `bytes`.
  static Result<ElfFile> read(std::span<const std::byte> bytes);

  uint16_t machine() const { return header.e_machine; }
  const std::vector<Elf64_Shdr> &sections() const { return sectionHeaders; }
  // Symbols refer to existing sections, and lie in them.
  const std::vector<Elf64_Sym> &symbols() const { return symbolTable; }
  // Of SHT_PROGBITS and other sections with bytes in the file.
  std::span<const std::byte> contents(const Elf64_Shdr &section) const;
  std::string_view nameOf(const Elf64_Sym &symbol) const;
  // Those that patch a section that `isWanted`. Symbols and offsets are checked, the width of what is patched is not.
  Result<std::vector<RelocationTable>> relocations(const std::vector<bool> &isWanted) const;
  // Where the header of section `i` stands in the file.
  uint64_t headerOffset(size_t i) const { return header.e_shoff + i * sizeof(Elf64_Shdr); }

private:
  Result<void> readSections();
  Result<void> readSymbols();
  template <class T> T at(uint64_t offset) const;
  bool holds(uint64_t offset, uint64_t size) const { return offset <= bytes.size() && size <= bytes.size() - offset; }

  std::span<const std::byte> bytes;
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> sectionHeaders;
  std::vector<Elf64_Sym> symbolTable;
  std::span<const std::byte> symbolNames;
};

// "the object is damaged: `detail`"
Error damaged(std::string_view detail);

} // namespace nereid::cpu
