// Reduction.h: a reduction that runs inside a loop nest.
#pragma once

#include "cpu/Nest.h"

namespace nereid::cpu {

// One op of a known kind: its lanes may be combined in any order. Everything else keeps the order from left to right.
bool isCommutative(mlir::Block &combine);
// Only elementwise ops: the region can run on vectors.
bool isLanewise(mlir::Block &combine);

// A row in strips of some lanes, reduced across the strips: [.., N] seen as [.., N/W, W] along its last axis but one. The
// reduction then runs in the nest of the row itself, and leaves W lanes of its partial result. Null: not of that kind.
tile::ReshapeOp stripsOf(tile::ReduceOp op, const Target &target);

class Reduction {
public:
  Reduction(Lowering &lowering, Nest &nest, tile::ReduceOp op);
  // Before the loops: storage for results and partial results.
  void prepare();
  // In the body.
  void accumulate();
  // Behind the innermost loop.
  void finish();

private:
  bool isAlongLanes() const { return axis == nest.vectorDimension(); }
  void accumulateAlongLanes(llvm::ArrayRef<llvm::Value *> values);
  void accumulateAcross(llvm::ArrayRef<llvm::Value *> values);
  // Combines neighbouring lanes until `left` of them remain, one as a scalar.
  llvm::SmallVector<llvm::Value *> combineNeighbours(llvm::ArrayRef<llvm::Value *> vectors, unsigned left);
  void storeResult(unsigned i, llvm::Value *value);
  llvm::SmallVector<llvm::Value *> combine(llvm::ArrayRef<llvm::Value *> left, llvm::ArrayRef<llvm::Value *> right);
  Mapping resultMapping() const;
  llvm::Value *toKey(llvm::Value *value);
  llvm::Value *fromKey(llvm::Value *key);

  Lowering &lowering;
  Nest &nest;
  llvm::IRBuilder<> &builder;
  tile::ReduceOp op;
  tile::ReshapeOp strips; // null in most reductions
  unsigned axis;
  bool commutes;
  bool usesKeys; // the largest or smallest float, along the lanes: integers of the same order are compared instead
  llvm::SmallVector<llvm::AllocaInst *> partial;
  llvm::SmallVector<Buffer> results;
};

} // namespace nereid::cpu
