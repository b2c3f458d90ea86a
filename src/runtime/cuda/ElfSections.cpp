#include "runtime/cuda/ElfSections.h"

#include <elf.h>

namespace nereid::cuda {

static std::span<const std::byte> part(std::span<const std::byte> bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.subspan(offset, size)
                                                                 : std::span<const std::byte>();
}

// Up to the next 0.
static std::string_view textAt(std::span<const std::byte> bytes, uint64_t offset) {
  if (offset >= bytes.size())
    return {};
  std::string_view rest(reinterpret_cast<const char *>(bytes.data()) + offset, bytes.size() - offset);
  return rest.substr(0, rest.find('\0'));
}

std::vector<ElfSection> elfSectionsOf(std::span<const std::byte> image) {
  auto header = readAt<Elf64_Ehdr>(image, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  auto sectionAt = [&](uint64_t i) { return readAt<Elf64_Shdr>(image, header->e_shoff + i * sizeof(Elf64_Shdr)); };
  auto names = sectionAt(header->e_shstrndx);
  std::span<const std::byte> text =
      names ? part(image, names->sh_offset, names->sh_size) : std::span<const std::byte>();
  std::vector<ElfSection> sections;
  for (uint64_t i = 0; i < header->e_shnum; ++i)
    if (auto section = sectionAt(i); section && section->sh_type == SHT_PROGBITS)
      sections.push_back({textAt(text, section->sh_name), part(image, section->sh_offset, section->sh_size),
                          (section->sh_flags & SHF_EXECINSTR) != 0});
  return sections;
}

} // namespace nereid::cuda
