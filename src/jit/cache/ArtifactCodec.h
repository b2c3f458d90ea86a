// ArtifactCodec.h: a kernel compiled for the CPU as bytes, for the disk cache.
#pragma once

#include "runtime/cpu/Kernel.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::jit {

std::string encode(const cpu::Artifact &artifact);
// Nothing when the bytes are not exactly what `encode` makes.
std::optional<cpu::Artifact> decodeArtifact(std::string_view bytes);

} // namespace nereid::jit
