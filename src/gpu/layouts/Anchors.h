// Anchors.h: the layouts that ops ask for by themselves: memory ops the widest access that their pointers allow, scans
// and reductions of unknown order a run of the axis in each thread, products what the tensor cores take.
#pragma once

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"
#include "gpu/Options.h"
#include "gpu/dialect/Warp.h"
#include "gpu/layouts/LayoutRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

namespace nereid::gpu {

// How many neighbours one instruction can change.
unsigned widestChange(tile::AtomicRmwOp op, const Options &options);

class Anchors {
public:
  Anchors(mlir::func::FuncOp kernel, const Options &options);

  // Of a load, a store or an atomic: for its pointers, mask, value and result.
  std::optional<LinearLayout> memoryLayout(mlir::Operation *op) const;
  // Gives a memory op another layout than its pointers suggest.
  void setMemoryLayout(mlir::Operation *op, const LinearLayout &layout) { memory[op] = layout; }
  // How many loads a thread needs for its elements of this layout.
  unsigned loadsOf(tile::LoadOp load, const LinearLayout &layout) const;
  // For a tile that goes into a buffer: each thread stores up to 16 bytes at once.
  LinearLayout storeLayout(warp::BufferType buffer, unsigned widest = 0) const;
  std::optional<LinearLayout>
  turnedBytes(warp::BufferType buffer) const; // for bytes that lie along the other axis elsewhere
  // For tiles about which nothing is known.
  LinearLayout defaultLayout(mlir::Type type) const;
  // Each thread has a run of the axis, neighbouring lanes the next runs, then warps.
  LinearLayout runsAlong(llvm::ArrayRef<int64_t> shape, unsigned axis, unsigned contiguous) const;
  unsigned warps() const { return options.numWarps; }

  // What an access would like: so many neighbours of so many bits for a thread, of which an instruction takes `together`.
  struct Wish {
    unsigned bits, width, together;
  };

private:
  struct Access {
    llvm::SmallVector<int64_t, 4> shape;
    llvm::SmallVector<unsigned, 4> order;
    unsigned bits; // of an element, beside products; else 0
    Access ofAnyBits() const { return {shape, order, 0}; }
    bool operator<(const Access &other) const {
      return std::tie(shape, order, bits) < std::tie(other.shape, other.order, other.bits);
    }
  };
  std::optional<Access> accessOf(mlir::Operation *op) const;
  static unsigned chooseWidth(llvm::ArrayRef<Wish> wishes, bool hasProducts);
  Wish wishOf(mlir::Operation *op, const Access &access) const;
  unsigned widthOf(mlir::Operation *op, const Access &access) const;
  bool touchesSectorsAcross(mlir::Operation *op, const LinearLayout &layout, unsigned axis) const;

  Options options;
  analysis::AxisInfoAnalysis axes;
  bool hasProducts = false;
  llvm::DenseMap<mlir::Operation *, LinearLayout> memory;
};

} // namespace nereid::gpu
