// AssembledLines.h: what the instructions of a cubin come from, by the lines of its PTX (`ptxas --generate-line-info`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nereid::cuda {

struct Fp32Line {
  uint32_t ptxLine = 0;
  // Sums, products and fused ones of fp32: those that are always executed, and those under a condition.
  uint32_t instructions = 0, guarded = 0;
};

// By line; nothing where the bytes are no cubin of one kernel, or do not name lines. Nothing of the file is believed.
std::vector<Fp32Line> fp32LinesOf(std::span<const std::byte> image);

} // namespace nereid::cuda
