// Operands.h: where a product on tensor cores finds its operands in shared memory.
#pragma once

#include "gpu/dialect/Warp.h"

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"

#include <optional>

namespace nereid::gpu {

// A slot of a buffer, seen as the operand: with its axes exchanged where `isTransposed`.
struct SharedOperand {
  warp::ReadOp read;
  bool isTransposed = false;
  // The axis of the operand along which neighbours lie next to each other.
  unsigned fastAxis() const {
    warp::ReadOp op = read;
    return op.getBuffer().getType().getFast() ^ (isTransposed ? 1 : 0);
  }
};

// The slot that a tile is read from, if wgmma can take it from there as operand `index` (0: A, 1: B): types other than
// 16 bits wide must lie along K.
std::optional<SharedOperand> sharedOperand(mlir::Value tile, unsigned index);

// Whether nothing but products on tensor cores uses the tile, and all from shared memory: it is not read at all then.
bool isOnlyForTensorCores(warp::ReadOp read);

// The axis along which the elements lie side by side in the buffer that the tile is computed from, if there is one; with
// `axes`, also in the memory that it is loaded from.
std::optional<unsigned> fastAxisOf(mlir::Value tile, const analysis::AxisInfoAnalysis *axes = nullptr,
                                   unsigned depth = 0);

// The buffer of one slot for an operand, with the widest swizzle that its rows along axis `fast` take.
warp::BufferType operandBuffer(mlir::RankedTensorType tile, unsigned fast);

// Of the elements in the buffers that the tile is computed from: the bytes of the widest; 0 where there is none.
unsigned bytesReadFor(mlir::Value tile, unsigned depth = 0);

} // namespace nereid::gpu
