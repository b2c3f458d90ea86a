// RotateProducts.h: the last product of a turn moves into the next one.
#pragma once

#include "gpu/Options.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

// The loop that stands in its place, or none where that is not possible or takes too many registers.
mlir::scf::ForOp rotateProducts(mlir::scf::ForOp loop, const Options &options);

} // namespace nereid::gpu
