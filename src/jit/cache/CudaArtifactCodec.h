// CudaArtifactCodec.h: a kernel compiled for a GPU as bytes, for the disk cache.
#pragma once

#include "runtime/cuda/Artifact.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::jit {

std::string encode(const cuda::Artifact &artifact);
// Nothing when the bytes are not exactly what `encode` makes.
std::optional<cuda::Artifact> decodeCudaArtifact(std::string_view bytes);

} // namespace nereid::jit
