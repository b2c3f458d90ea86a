// LoopSlice.h: the part of a loop's body that computes some of its values, to be computed once more for a later iteration.
#pragma once

#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace nereid::gpu {

class LoopSlice {
public:
  explicit LoopSlice(mlir::scf::ForOp loop) : loop(loop) {}

  // Takes in what computes these values: arithmetic, and loads of numbers and rows, such as the pages that keys lie in.
  // False, and nothing changes, where that is more.
  bool add(mlir::ValueRange roots);

  // Whether nothing but the slice uses the value.
  bool isOnlyFor(mlir::Value value) const;

  // What the loop carries for the slice, at its start.
  llvm::SmallVector<mlir::Value> starts() const;
  // The slice for the iteration with this index, whose carried values are given; they become those of the iteration after. `from`
  // is the loop as it is now: it may have been replaced by one that carries more.
  mlir::IRMapping clone(mlir::OpBuilder &builder, mlir::scf::ForOp from, mlir::Value index,
                        llvm::SmallVectorImpl<mlir::Value> &carried) const;

private:
  bool follow(mlir::Value value, llvm::SetVector<mlir::Operation *> &ops, llvm::SetVector<unsigned> &arguments) const;

  mlir::scf::ForOp loop;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<unsigned> arguments;
};

// Whether loads of later iterations may pass what this iteration does: stores to the same memory have a barrier, and atomics may
// wait for other programs.
bool isFixedMemory(mlir::scf::ForOp loop);

// The load once more, with its operands mapped; where `when` is false it touches nothing.
tile::LoadOp cloneLoad(mlir::OpBuilder &builder, tile::LoadOp load, mlir::IRMapping &mapping, mlir::Value when);

// Whether an iteration of the loop, as given by its index, is run.
mlir::Value isIteration(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::Value index);

} // namespace nereid::gpu
