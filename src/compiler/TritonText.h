// TritonText.h: tile IR as text, under the names that Triton's users know.
#pragma once

#include "compiler/Compiler.h"

#include <string>

namespace nereid::compiler {

// Ops and types of the tile dialect are written as Triton's where they mean the same (`tile.arange` is `tt.make_range`);
// what Triton has no op for keeps our name. The ops in it, their order and their operands are our own.
std::string tritonText(const TileModule &tile);

} // namespace nereid::compiler
