// LayoutMoves.h: how layouts go through ops that move no data. Forwards: the layout of the result for which the op only
// renames registers. Backwards: the layout that an operand must have so that the result has the given one.
#pragma once

#include "layout/LinearLayout.h"

namespace nereid::layout {

// Axis i of the result is axis permutation[i] of the operand. Backwards: the inverse permutation.
LinearLayout transposeLayout(const LinearLayout &layout, llvm::ArrayRef<unsigned> permutation);
llvm::SmallVector<unsigned, 4> invertPermutation(llvm::ArrayRef<unsigned> permutation);

// The row-major index stays. Backwards: reshaping to the operand's shape.
LinearLayout reshapeLayout(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

// A new axis of size 1, and back: `axis` has size 1 there.
LinearLayout expandDimsLayout(const LinearLayout &layout, unsigned axis);
LinearLayout dropAxisLayout(const LinearLayout &layout, unsigned axis);

// Of all elements along `axis` one is left, as after a reduction or before a broadcast: what ran along it holds copies
// now, and registers that would are dropped.
LinearLayout shrinkAxisLayout(const LinearLayout &layout, unsigned axis);
// The same, and the axis itself is gone: the layout of a reduction's result, and of a row vector that expand_dims and
// broadcast bring to `layout`.
LinearLayout sliceLayout(const LinearLayout &layout, unsigned axis);

// Axis `axis`, of size 1, gets `size` elements. Lanes and warps that held copies spread along it first, then new
// registers do. Backwards: shrinkAxisLayout of the wanted result.
LinearLayout broadcastLayout(const LinearLayout &layout, unsigned axis, int64_t size);

// Two tiles become one with a last axis of size 2: registers of both alternate. Backwards: splitLayout.
LinearLayout joinLayout(const LinearLayout &layout);
// The last axis, of size 2, is taken apart. Possible where one register bit runs along it and nothing else does; else
// the operand must be converted first (to joinLayout of a layout for the halves).
std::optional<LinearLayout> splitLayout(const LinearLayout &layout);
// That register bit.
std::optional<unsigned> splitRegisterBit(const LinearLayout &layout);

// Two tiles one behind the other along `axis`: the new bit is the highest of the registers. And back.
LinearLayout concatenateLayout(const LinearLayout &layout, unsigned axis);
LinearLayout beforeConcatenation(const LinearLayout &layout, unsigned axis);

} // namespace nereid::layout
