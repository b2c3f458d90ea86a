// TensorMaps.h: which blocks of described tensors the copy engine (TMA) can move, and the maps that it needs for them.
#pragma once

#include "gpu/Options.h"

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"
#include "gpu/dialect/Warp.h"
#include "runtime/cuda/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace nereid::gpu {

// Whether the copy engine may move the block: its last two axes, all others being 1.
bool isMarkedBlock(mlir::Operation *op);

// A map for boxes of the buffer's shape: its rows, at most 256 of them, and its swizzle's width.
// `mapping`: the tensor's numbers where the map is made, if they are other values there.
mlir::Value makeTensorMap(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value desc, warp::BufferType buffer,
                          const mlir::IRMapping *mapping = nullptr, unsigned groups = 1);
// The rows of one box, where the buffer's are shared out to groups.
int64_t boxRows(warp::BufferType buffer, unsigned groups = 1);

// What the launch needs to make the map.
cuda::TensorMap tensorMapOf(warp::TensorMapOp op);

} // namespace nereid::gpu
