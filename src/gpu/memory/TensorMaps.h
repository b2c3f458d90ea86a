// TensorMaps.h: the maps that TMA needs to find the blocks of described tensors.
#pragma once

#include "gpu/Options.h"

#include "dialect/Tile.h"
#include "gpu/dialect/Warp.h"
#include "runtime/cuda/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace nereid::gpu {

// A tensor as a descriptor names it.
struct DescribedTensor {
  mlir::Value base;
  llvm::SmallVector<mlir::Value> shape, strides;
  bool fillsNan = false;
};

// None where the descriptor is chosen at run time.
std::optional<DescribedTensor> tensorOf(mlir::Value desc);
// A number that the launch can compute: a product of arguments and constants.
std::optional<cuda::TensorMap::Number> numberOf(mlir::Value value);

// Whether TMA may move the block: as a matrix, whose rows are all axes but the last.
bool isMarkedBlock(mlir::Operation *op);
// Whether several axes of the block are its rows.
bool hasRowsOfAxes(mlir::RankedTensorType block);

// A map for boxes of the buffer's shape: its rows, at most 256 of them, and its swizzle's width.
// `mapping`: the tensor's numbers where the map is made, if they are other values there.
mlir::Value makeTensorMap(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value desc, warp::BufferType buffer,
                          const mlir::IRMapping *mapping = nullptr, unsigned groups = 1);
// The rows of one box, where the buffer's are shared out to groups.
int64_t boxRows(warp::BufferType buffer, unsigned groups = 1);

// What the launch needs to make the map.
cuda::TensorMap tensorMapOf(warp::TensorMapOp op);

} // namespace nereid::gpu
