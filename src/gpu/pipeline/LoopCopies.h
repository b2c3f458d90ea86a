// LoopCopies.h: which loads of a loop with products become copies that run ahead of their use, through how many slots, and where
// in an iteration they start.
#pragma once

#include "gpu/Options.h"
#include "gpu/dialect/Warp.h"
#include "gpu/pipeline/LoopSlice.h"

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"

#include <optional>

namespace nereid::gpu {

struct LoopCopy {
  mlir::Operation *load; // of pointers, or of a block by TMA
  warp::BufferType type;
  mlir::Value buffer, map;
  unsigned part = 0; // of the iteration, which reads it

  tile::LoadOp ofPointers() const { return mlir::dyn_cast<tile::LoadOp>(load); }
  tile::DescLoadOp ofBlock() const { return mlir::dyn_cast<tile::DescLoadOp>(load); }
  // A tile of one row, from a row of pointers.
  bool isRow() const { return mlir::cast<mlir::RankedTensorType>(load->getResult(0).getType()).getRank() == 1; }
  // What its slot can be read before.
  mlir::Operation *lastPlaceOfRead() const;
  // What it is read before: in the second part of an iteration, it is not there earlier.
  mlir::Operation *placeOfRead() const { return part == 0 ? load : lastPlaceOfRead(); }
};

// What stands before the copies of an iteration.
enum class CopiesBehind {
  Nothing,
  FirstProduct,  // of several, while the last one of the iteration before goes on
  ProductBefore, // the product of the iteration before, which is waited for in the middle of this one, and a barrier
  Iteration      // all of it, and a barrier; or the part that reads them
};

struct LoopCopies {
  explicit LoopCopies(mlir::scf::ForOp loop) : loop(loop), slice(loop) {}

  bool hasBlocks() const {
    return llvm::any_of(copies, [](const LoopCopy &copy) { return bool(copy.ofBlock()); });
  }
  bool hasPointers() const {
    return llvm::any_of(copies, [](const LoopCopy &copy) { return bool(copy.ofPointers()); });
  }

  mlir::scf::ForOp loop;
  llvm::SmallVector<LoopCopy> copies;
  LoopSlice slice;                        // what computes pointers and masks
  tile::DotOp asyncProduct, firstProduct; // that goes on into the next iteration; that copies stand behind
  CopiesBehind behind = CopiesBehind::Nothing;
  unsigned slots = 0, distance = 0; // iterations from a copy to its use
  tile::DotOp parting;              // ends the first part of an iteration, where it has two
};

// Nothing where no load can be a copy, or none has room.
std::optional<LoopCopies> planCopies(mlir::scf::ForOp loop, const analysis::AxisInfoAnalysis &axes,
                                     const Options &options);

// Why a load for a product cannot be a copy that runs ahead; empty where it can.
std::string whyNotAhead(tile::LoadOp load, const analysis::AxisInfoAnalysis &axes, const Options &options);
// Copies put zeros where the mask is false: whether that is what the load gives there.
bool isZeroElsewhere(tile::LoadOp load);
// The axis along which the addresses of a tile with two axes follow each other.
unsigned fastAxis(const analysis::AxisInfo &info);

} // namespace nereid::gpu
