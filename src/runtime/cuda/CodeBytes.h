// CodeBytes.h: how large the instructions of a cubin are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nereid::cuda {

// The sections with instructions; 0 where the bytes are no ELF file. Nothing of the file is believed.
uint32_t codeBytesOf(std::span<const std::byte> image);

} // namespace nereid::cuda
