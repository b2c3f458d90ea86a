#include "runtime/cuda/CodeBytes.h"

#include <elf.h>

#include <cstring>
#include <optional>

namespace nereid::cuda {

template <class T> static std::optional<T> readAt(std::span<const std::byte> bytes, uint64_t offset) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
    return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

uint32_t codeBytesOf(std::span<const std::byte> image) {
  auto header = readAt<Elf64_Ehdr>(image, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return 0;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    auto section = readAt<Elf64_Shdr>(image, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (section && section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR &&
        section->sh_size <= image.size())
      bytes += section->sh_size;
  }
  return bytes <= image.size() ? uint32_t(bytes) : 0;
}

} // namespace nereid::cuda
