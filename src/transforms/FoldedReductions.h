// FoldedReductions.h: values that a loop carries only to combine them with a reduction in every iteration. Such a loop can
// carry partial results instead, and reduce them once, behind it. Sums of floats are bracketed in another way by this, as a
// reduction is free to.
#pragma once

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::transforms {

struct Folded {
  mlir::scf::ForOp loop;
  unsigned position; // of the carried value
  mlir::Operation *fold;
  tile::ReduceOp reduce;
  mlir::Attribute identity; // what changes nothing when it is combined
};

llvm::SmallVector<Folded> foldedReductions(mlir::func::FuncOp kernel);

// The same reduction of another tile.
mlir::Value reduceLike(mlir::OpBuilder &builder, tile::ReduceOp op, mlir::Value source, unsigned axis,
                       mlir::Type result);

// The loop combines `part` with what it carries instead of the reduction, which is erased. `behind` is where the reduction
// is finished; `finish` makes what the reduction gave out of the carried parts.
void carryParts(const Folded &folded, mlir::Value part, mlir::OpBuilder &behind,
                llvm::function_ref<mlir::Value(mlir::Value parts)> finish);

} // namespace nereid::transforms
