// ElfSections.h: the sections of a cubin that hold bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace nereid::cuda {

template <class T> std::optional<T> readAt(std::span<const std::byte> bytes, uint64_t offset) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
    return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

struct ElfSection {
  std::string_view name;
  std::span<const std::byte> bytes;
  bool isCode = false;
};

// None where the bytes are no ELF file. Nothing of the file is believed: what does not lie in it is left out.
std::vector<ElfSection> elfSectionsOf(std::span<const std::byte> image);

} // namespace nereid::cuda
