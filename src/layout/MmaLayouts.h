// MmaLayouts.h: the fragments of tensor-core instructions, spread over warps and repeated to cover a tile.
//
// Shapes have rank 2, or more with batch axes in front: M x N for accumulators, M x K and K x N for operands.
// `warpsPerBlock` is always that of the accumulator (one number per axis of M x N): warps run along M first, then N,
// then the batch. An operand is held by every warp that needs it, so A has copies along the warps of N and B along
// those of M. An instruction's box is repeated first over warps, then over registers (N before M, and K before the
// other axis).
//
// `contiguousK` is how many elements along K a lane holds next to each other in an operand: 32 bits of them for the
// instruction itself (2 for 16-bit types, 4 for 8-bit types, 1 for tf32). More is allowed as long as A and B agree: the
// product then visits K in another order. That pays when an operand is widened in registers after it was loaded.
#pragma once

#include "layout/LinearLayout.h"

namespace nereid::layout {

enum class DotOperand : uint8_t { A, B };

// mma.sync.m16n8: 4 elements in a lane, for 32-bit and 16-bit accumulators alike.
LinearLayout mmaAccumulatorLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock);
LinearLayout mmaOperandLayout(llvm::ArrayRef<int64_t> shape, DotOperand operand, llvm::ArrayRef<int64_t> warpsPerBlock,
                              unsigned contiguousK);

// mma.sync.m8n8k4 of 64-bit floats: 2 elements of the accumulator and 1 of each operand in a lane.
LinearLayout mmaDoubleAccumulatorLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock);
LinearLayout mmaDoubleOperandLayout(llvm::ArrayRef<int64_t> shape, DotOperand operand,
                                    llvm::ArrayRef<int64_t> warpsPerBlock);

// wgmma.m64nN: four warps side by side along M make one instruction; warpsPerBlock[M] is a multiple of 4.
// `instructionN` is a power of two of at least 8 columns (other widths: RepeatedLayout.h).
LinearLayout wgmmaAccumulatorLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock,
                                    unsigned instructionN);
// A in registers. B always comes from shared memory.
LinearLayout wgmmaOperandALayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock,
                                 unsigned contiguousK);
// Where the elements of a sparse A of 16 bits stand (wgmma.sp of m64nNk32), two bits each, in integers of 8 or 16 `bits`:
// M x K/8 or M x K/16. A word of a lane has 16 elements along K of one row, and those of the row 8 further; the lanes of a
// row have 64 elements, of which an instruction takes the first or the last 32.
LinearLayout wgmmaPlacesLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warpsPerBlock, unsigned bits);

} // namespace nereid::layout
