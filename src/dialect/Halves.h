// Halves.h: a tile whose last axis has two elements, taken apart, for passes that compute with each half.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nereid::tile {

std::pair<mlir::Value, mlir::Value> halvesOf(mlir::ImplicitLocOpBuilder &builder, mlir::Value tile);

} // namespace nereid::tile
