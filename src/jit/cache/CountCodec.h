// CountCodec.h: what `count` needs of a kernel that was compiled for a GPU, as bytes, for the disk cache.
#pragma once

#include "gpu/CodeFacts.h"
#include "runtime/cuda/Artifact.h"
#include "runtime/cuda/AssembledLines.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::jit {

// Code that is looked at and not run: it has no image.
struct CountArtifact {
  cuda::Artifact code;
  gpu::CodeFacts facts;
  uint32_t codeBytes = 0; // of its instructions; 0 where it was not assembled
  std::vector<cuda::Fp32Line> fp32Lines = {};
};

std::string encode(const CountArtifact &artifact);
// Nothing when the bytes are not exactly what `encode` makes.
std::optional<CountArtifact> decodeCountArtifact(std::string_view bytes);

} // namespace nereid::jit
