// TritonText.h: tile IR as text, under the names that Triton's users know.
#pragma once

#include "compiler/Compiler.h"

#include <string>

namespace nereid::compiler {

// Ops, types and layouts, planned for a GPU or not, are written as Triton's where they mean the same (`tile.arange` is
// `tt.make_range`), with their places in the source; what Triton has no op for keeps our name. Which ops there are and their
// order are our own. `numWarps` is what the kernel was compiled for.
std::string tritonText(const TileModule &tile, int numWarps = 4);

} // namespace nereid::compiler
