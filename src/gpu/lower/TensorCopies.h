// TensorCopies.h: how a buffer is cut into boxes that TMA moves.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

struct Box {
  uint32_t offset;     // in the slot, in bytes
  int64_t row, column; // of its first element
};

llvm::SmallVector<Box> boxesOf(warp::BufferType type, unsigned groups = 1);

// The coordinates of a box, for a block at `indices`, as the instruction counts them: the fastest axis first.
// `row`: how many rows behind the box's own, where that is known at run time only.
Values boxPlace(Lowering &lowering, mlir::Value map, mlir::ValueRange indices, const Box &box, llvm::Value *row);

} // namespace nereid::gpu
