// ReduceOrder.h: whether a reduction must combine elements in the order of its axis.
#pragma once

#include "dialect/Tile.h"
#include "layout/LinearLayout.h"

namespace nereid::gpu {

// Whether the function gives something else when its two sides are swapped, as `a1 * a2, a2 * b1 + b2` does: tried on numbers.
// Triton asks for one that does not; the interpreter and the CPU combine in order, so the GPU does, too. What cannot be tried
// is taken to have no order.
bool hasOrder(tile::ReduceOp reduce);

// Whether registers, then lanes, then warps follow each other along the axis: then what a thread combines lies side by side.
bool isInOrder(const layout::LinearLayout &layout, unsigned axis);

} // namespace nereid::gpu
