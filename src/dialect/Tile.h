// Tile.h: the tile dialect in C++: types, enums, attributes and ops.
#pragma once

#include "dialect/Traits.h"
#include "layout/LinearLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/TileDialect.h.inc"
#include "dialect/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/TileInterfaces.h.inc"
#include "dialect/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/TileOps.h.inc"

namespace nereid::tile {

// Extents of a tile, or an empty list for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
// `type` with its element type (or itself, for a scalar) replaced.
mlir::Type withElement(mlir::Type type, mlir::Type element);

// The one place in memory that an op accesses, as its memory effects say it: pointers, or a descriptor.
struct Access {
  mlir::Value address;
  bool reads = false, writes = false;
  bool isByPointer() const { return !llvm::isa<DescType>(address.getType()); }
};
// Nothing where it accesses no memory, or any.
std::optional<Access> accessOf(mlir::Operation *op);

// A tile holds at most this many elements (Triton's TRITON_MAX_TENSOR_NUMEL).
constexpr int64_t kMaxTileElements = 1 << 20;

} // namespace nereid::tile
