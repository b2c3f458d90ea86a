#include "runtime/cuda/CodeBytes.h"

#include "runtime/cuda/ElfSections.h"

namespace nereid::cuda {

uint32_t codeBytesOf(std::span<const std::byte> image) {
  uint64_t bytes = 0;
  for (const ElfSection &section : elfSectionsOf(image))
    bytes += section.isCode ? section.bytes.size() : 0;
  return bytes <= image.size() ? uint32_t(bytes) : 0;
}

} // namespace nereid::cuda
