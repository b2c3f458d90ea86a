// Reduction.h: what the function of a reduction allows.
#pragma once

#include "dialect/Tile.h"

namespace nereid::tile {

// Whether it is a reduction of one value by one op whose sides may be swapped: its elements may change places.
bool isCommutativeReduction(mlir::Operation *op);

} // namespace nereid::tile
