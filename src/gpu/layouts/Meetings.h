// Meetings.h: which memory ops move tiles that meet: what one loads goes into what another one stores, or both go into one
// tile. Tiles that are computed as their users ask (places, masks, constants) are no meeting.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace nereid::gpu {

class Meetings {
public:
  explicit Meetings(mlir::func::FuncOp kernel);

  // The same number for ops whose tiles meet.
  unsigned of(mlir::Operation *op) const;
  // Whether what a product gives is among those tiles.
  bool hasProduct(mlir::Operation *op) const { return withProducts.contains(of(op)); }

private:
  bool follow(mlir::Operation *op);
  bool pass(mlir::Value from, mlir::Value to);
  void join(const void *one, const void *other) { groups.unionSets(one, other); }

  llvm::DenseSet<mlir::Value> moved; // tiles that come out of memory, or out of something that has a layout of its own
  llvm::EquivalenceClasses<const void *> groups; // of tiles and ops
  llvm::DenseMap<const void *, unsigned> numbers;
  llvm::DenseSet<unsigned> withProducts;
};

} // namespace nereid::gpu
