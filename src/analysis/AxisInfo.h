// AxisInfo.h: what is known of the numbers in a tile along each axis: runs of consecutive numbers, runs of equal ones,
// and powers of two that divide them. Wide memory accesses and masks for several elements at once rest on it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <optional>

namespace nereid::analysis {

// One number for each axis; a scalar counts as a tile with one axis of one element. Groups start at multiples of their
// length. For tiles of pointers a run is of consecutive elements, and divisibility is that of the address in bytes.
// README.md says which of it rests on what kernels promise.
struct AxisInfo {
  llvm::SmallVector<int64_t, 4> contiguity;   // length of runs x, x+1, x+2, …
  llvm::SmallVector<int64_t, 4> divisibility; // divides the first number of every such run
  llvm::SmallVector<int64_t, 4> constancy;    // length of runs x, x, x, …
  llvm::SmallVector<int64_t, 4> falling;      // length of runs of truth values: true, …, true, false, …, false
  std::optional<int64_t> constant;            // all elements are this
  bool isNonNegative = false;                 // as signed numbers; of an index, if it fits into its type

  unsigned rank() const { return contiguity.size(); }
  // Length of runs of truth values that hold for the first elements, for all or for none.
  int64_t fallingRun(unsigned axis) const { return std::max(falling[axis], constancy[axis]); }
  // Divides every element.
  int64_t commonDivisor() const;
  // Divides the first element of every group of `length` along `axis`, where length divides the run.
  int64_t divisorOfGroups(unsigned axis, int64_t length) const;

  static AxisInfo unknown(unsigned rank);
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);
  bool operator==(const AxisInfo &) const = default;
};

class AxisInfoAnalysis {
public:
  // `passThrough` names ops that give their first operand as it is (changes of layout).
  explicit AxisInfoAnalysis(
      mlir::func::FuncOp function,
      std::function<bool(mlir::Operation *)> passThrough = [](mlir::Operation *) { return false; });

  const AxisInfo &of(mlir::Value value) const;

private:
  bool update(mlir::Value value, AxisInfo info); // a copy: the table may move
  bool visit(mlir::Operation *op);
  bool visitControl(mlir::Operation *op);
  std::optional<AxisInfo> infer(mlir::Operation *op, mlir::Value result);
  AxisInfo elementwiseInfo(mlir::ValueRange operands, unsigned rank);
  std::function<bool(mlir::Operation *)> passThrough;
  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

} // namespace nereid::analysis
