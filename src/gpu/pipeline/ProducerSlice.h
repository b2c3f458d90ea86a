// ProducerSlice.h: the part of a kernel that computes which blocks a loop loads, with the loops around it.
#pragma once

#include "gpu/pipeline/TileRows.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace nereid::gpu {

class ProducerSlice {
public:
  // Loops one behind the other, and those around them, up to the kernel itself.
  ProducerSlice(mlir::func::FuncOp kernel, mlir::ArrayRef<mlir::scf::ForOp> loops);

  // Takes in what computes the block's place and its tensor. False where that is more than arithmetic on scalars, and
  // loads of some.
  bool add(tile::DescLoadOp block);
  // The same for rows, of memory that the kernel does not change.
  bool add(const TileRows &tile);

  // The end of an iteration of one of the loops: takes the state that they carry, and gives the next one.
  using Iteration = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::IRMapping &,
                                                                      mlir::scf::ForOp, mlir::ValueRange)>;
  void emit(mlir::OpBuilder &builder, llvm::SmallVector<mlir::Value> state, Iteration iteration);

private:
  bool need(mlir::Value value);
  // Whether the kernel writes nothing to the memory that this argument names.
  bool isUnchanged(mlir::Value root);
  void emitBlock(mlir::OpBuilder &builder, mlir::Block &block, llvm::SmallVector<mlir::Value> &state,
                 Iteration iteration);
  void emitLoop(mlir::OpBuilder &builder, mlir::scf::ForOp from, llvm::SmallVector<mlir::Value> &state,
                Iteration iteration);

  mlir::func::FuncOp kernel;
  llvm::SmallVector<mlir::scf::ForOp> loops;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::MapVector<mlir::Operation *, llvm::SetVector<unsigned>> carried; // by each loop: its arguments that are needed
  bool areBoundsKnown = true;
  mlir::IRMapping mapping;
};

} // namespace nereid::gpu
