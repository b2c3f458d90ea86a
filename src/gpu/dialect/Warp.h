// Warp.h: the warp dialect in C++.
#pragma once

#include "layout/LinearLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "gpu/dialect/WarpDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "gpu/dialect/WarpAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "gpu/dialect/WarpTypes.h.inc"
#define GET_OP_CLASSES
#include "gpu/dialect/WarpOps.h.inc"

namespace nereid::warp {

// The layout of a tile's type, which must have one.
layout::LinearLayout layoutOf(mlir::Type type);
bool hasLayout(mlir::Type type);
// `type` with this layout as its encoding.
mlir::RankedTensorType withLayout(mlir::Type type, const layout::LinearLayout &layout);

} // namespace nereid::warp
