// LayoutRules.h: which layouts an op's operands must have so that its result has a given one, and the other way round.
#pragma once

#include "layout/LinearLayout.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace nereid::gpu {

using layout::LinearLayout;

// How many neighbours along an axis an op takes at once: `pack` of a mapped function or of inline assembly, else 1.
unsigned groupOf(mlir::Operation *op);
// Elements are computed one by one from those at the same place: all operands and results share one layout.
bool isElementwise(mlir::Operation *op);
// Costs nothing in registers: asked for another layout, it passes the question on to its source.
bool isView(mlir::Operation *op);
// Pure, and possible in any layout: such an op is computed again for each layout that somebody asks for, as long as
// nothing behind it has a layout of its own.
bool isFlexible(mlir::Operation *op);

// Where a loop or a branch passes a tile on to; nothing where another op uses it.
mlir::Value passedOn(mlir::OpOperand &use);

// The layout that operand `index` needs for a result in `result`; for elementwise and shape ops.
LinearLayout operandLayout(mlir::Operation *op, unsigned index, const LinearLayout &result);
// The layout of the result of a shape op when its source stays as it is. Nothing: the op leaves it open (a broadcast).
std::optional<LinearLayout> resultLayout(mlir::Operation *op, const LinearLayout &source);

} // namespace nereid::gpu
