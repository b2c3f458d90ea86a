// Reduction.h: a reduction that runs inside a loop nest.
#pragma once

#include "cpu/Nest.h"

namespace nereid::cpu {

// One op of a known kind: its lanes may be combined in any order. Everything else keeps the order from left to right.
bool isCommutative(mlir::Block &combine);
// Only elementwise ops: the region can run on vectors.
bool isLanewise(mlir::Block &combine);

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
  // Combines neighbouring lanes until one is left.
  llvm::SmallVector<llvm::Value *> combineNeighbours(llvm::ArrayRef<llvm::Value *> vectors);
  llvm::SmallVector<llvm::Value *> combine(llvm::ArrayRef<llvm::Value *> left, llvm::ArrayRef<llvm::Value *> right);
  Mapping resultMapping() const;
  llvm::Value *toKey(llvm::Value *value);
  llvm::Value *fromKey(llvm::Value *key);

  Lowering &lowering;
  Nest &nest;
  llvm::IRBuilder<> &builder;
  tile::ReduceOp op;
  unsigned axis;
  bool commutes;
  bool usesKeys; // the largest or smallest float, along the lanes: integers of the same order are compared instead
  llvm::SmallVector<llvm::AllocaInst *> partial;
  llvm::SmallVector<Buffer> results;
};

} // namespace nereid::cpu
