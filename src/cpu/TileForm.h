// TileForm.h: an index tile as one formula over the whole tile: base + sum of index[d] * step[d].
#pragma once

#include "cpu/Lowering.h"

#include <optional>

namespace nereid::cpu {

struct TileForm {
  llvm::Value *base = nullptr;
  llvm::SmallVector<llvm::Value *, 4> steps; // of the type of base; of pointers in elements, while base is in bytes
};

// Computes forms at the builder's place, with the conditions under which they are right.
class TileForms {
public:
  TileForms(Lowering &lowering, Conditions &conditions)
      : lowering(lowering), builder(lowering.builder), conditions(conditions) {}

  std::optional<TileForm> evaluate(mlir::Value value);
  // The mask is true in the whole tile under the conditions.
  bool assumeTrue(mlir::Value mask);

private:
  std::optional<TileForm> evaluateSum(mlir::Operation *op);
  std::optional<TileForm> evaluateRemainder(mlir::Operation *op);
  std::optional<TileForm> evaluatePointer(tile::AddPtrOp op);
  TileForm extend(const TileForm &form, llvm::ArrayRef<int64_t> shape, bool isSigned);
  // The smallest and the largest element; 64-bit forms only.
  std::pair<llvm::Value *, llvm::Value *> range(const TileForm &form, llvm::ArrayRef<int64_t> shape);
  bool isUniform(const TileForm &form) const;

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  Conditions &conditions;
};

} // namespace nereid::cpu
