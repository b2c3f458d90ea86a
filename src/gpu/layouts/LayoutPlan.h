// LayoutPlan.h: decides the layout of every tile of a kernel, before anything is rewritten.
//
// Ops that touch memory, products and reductions bring a layout (anchors); from there layouts flow forwards through
// elementwise ops, the stronger one winning where two meet, and around loops. Flexible ops that no layout reaches
// (index arithmetic, masks, constants) get none: they are computed in whatever layout their users ask for, once for
// each.
#pragma once

#include "gpu/layouts/Anchors.h"
#include "gpu/products/DotPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace nereid::gpu {

class LayoutPlan {
public:
  LayoutPlan(mlir::func::FuncOp kernel, const Options &options);

  // The layout in which a tile is computed. None for tiles that are computed as their users ask.
  std::optional<LinearLayout> home(mlir::Value value) const;
  // Whether the op is computed again for each layout that is asked of it.
  bool isLazy(mlir::Operation *op) const;
  // The layout that an op which is not lazy takes a tile in.
  LinearLayout required(mlir::OpOperand &use) const;

private:
  // Strengths: a layout that is hard to leave wins. What is left of a loaded tile by a reduction is small, and several
  // threads have it: it goes where the tiles are that it meets.
  enum Strength { kNone, kReduced, kLoaded, kOrdered, kProduct };
  struct Natural {
    LinearLayout layout;
    int strength = kNone;
  };

  bool improve(mlir::Value value, const std::optional<Natural> &natural);
  std::optional<Natural> naturalOf(mlir::Value value) const;
  bool flow(mlir::Operation *op);
  std::optional<Natural> strongestOperand(mlir::Operation *op) const;
  std::optional<Natural> inferNatural(mlir::Operation *op, mlir::Value result) const;
  void flowThroughout(mlir::func::FuncOp kernel);
  // Short rows that go into products' tiles or are spread over larger ones are loaded as those hold them.
  bool adaptShortLoads(mlir::func::FuncOp kernel);
  struct RowWish {
    LinearLayout layout;
    unsigned mostLoads = 16; // of a thread: with more a conversion is better
  };
  std::optional<RowWish> rowWish(mlir::Value value, bool isSpread, unsigned depth) const;
  std::optional<LinearLayout> operandWish(mlir::OpOperand &use) const;
  void settle(mlir::func::FuncOp kernel);
  void settleValue(mlir::Value value);
  // What the users of a tile want, looking through lazy ops.
  std::optional<LinearLayout> wish(mlir::Value value, llvm::DenseSet<mlir::Value> &seen) const;
  std::optional<LinearLayout> wishOf(mlir::OpOperand &use, llvm::DenseSet<mlir::Value> &seen) const;
  std::optional<LinearLayout> bufferLayout(mlir::Value value, llvm::DenseSet<mlir::Value> &seen) const;
  std::optional<LinearLayout> meetingLayout(mlir::Value value, unsigned depth) const;
  using Stored = llvm::DenseMap<mlir::Value, std::optional<LinearLayout>>;
  std::optional<LinearLayout> storedLayout(mlir::Value value, Stored &known) const;
  LinearLayout combinedLayout(mlir::Operation *op, const LinearLayout &source) const;
  LinearLayout scannedLayout(tile::ScanOp scan) const;
  LinearLayout sourceLayout(mlir::Operation *op) const;
  std::optional<LinearLayout> storeLayout(mlir::Operation *op) const;

  Anchors anchors;
  bool mayChoose = true;
  llvm::DenseMap<mlir::Operation *, DotPlan> dots;
  llvm::DenseMap<mlir::Value, Natural> naturals;
  llvm::DenseMap<mlir::Value, LinearLayout> homes;
  llvm::DenseMap<mlir::Operation *, LinearLayout> sources; // settled ones
  llvm::DenseSet<mlir::Operation *> ordered;               // reductions whose functions have an order
};

} // namespace nereid::gpu
