// Ring.h: slots of shared memory that a producer fills, by TMA or with the rows of pointers, and consumers empty, and the frame of
// a kernel that is parted into the two.
#pragma once

#include "gpu/dialect/Warp.h"
#include "gpu/pipeline/ProducerSlice.h"
#include "gpu/pipeline/TileRows.h"

#include "dialect/Tile.h"

#include "mlir/IR/PatternMatch.h"

namespace nereid::gpu {

struct Ring {
  unsigned slots = 0;
  llvm::SmallVector<mlir::Value> buffers; // one for each block of an iteration
  mlir::Value full, empty;                // barriers: the blocks of a slot are there; all warps are done with them
};

// A buffer for blocks of this type, as TMA writes and tensor cores read it.
warp::BufferType blockBuffer(mlir::RankedTensorType type, unsigned slots);

// The block that is this operand of a product, perhaps transposed, straight from its own iteration: TMA can bring
// it, and tensor cores read it where it lies. The places of a sparse operand may be seen in another shape. Or null.
tile::DescLoadOp operandBlock(tile::DotOp dot, unsigned index);

// Whether the kernel has ops that all threads must run together, or whose order with copies counts.
bool hasOpsForAllWarps(mlir::func::FuncOp kernel);

// Buffers of such types, with so many slots. `arrivals`: of the producer, for a slot. `canPass`: behind the slots there is one more
// barrier, whose first phase never ends, for those who have nothing to wait for.
Ring makeRing(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<warp::BufferType> types, unsigned slots,
              unsigned arrivals, unsigned warps, bool canPass = false);

// In the producer: when the slot is empty, brings the blocks of the iteration. `mapping` has their indices there.
void fillSlot(mlir::OpBuilder &builder, mlir::Location loc, const Ring &ring, llvm::ArrayRef<tile::DescLoadOp> blocks,
              mlir::IRMapping &mapping, mlir::Value slot, mlir::Value phase);
// The same with tiles of rows.
void fillSlot(mlir::OpBuilder &builder, mlir::Location loc, const Ring &ring, llvm::ArrayRef<TileRows> tiles,
              mlir::IRMapping &mapping, mlir::Value slot, mlir::Value phase);

// Waits until the blocks of the slot are there, where `when` is true; the ring can be passed.
void waitForSlot(mlir::OpBuilder &builder, mlir::Location loc, const Ring &ring, mlir::Value slot, mlir::Value phase,
                 mlir::Value when);

// The slot and the parity of the next iteration.
llvm::SmallVector<mlir::Value> nextSlotAndPhase(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot,
                                                mlir::Value phase, unsigned slots);

// The loop with more that it carries, as it begins; what it yields for that is to be set.
mlir::scf::ForOp carryAlong(mlir::IRRewriter &builder, mlir::scf::ForOp loop, mlir::ValueRange state);

// The kernel in two parts. The rings are made in front of them; the producer is the slice, with `fill` at the end of each
// iteration; the consumer is the kernel itself, whose loops `consume` changes, from slot 0 and parity 0 on.
void partKernel(mlir::func::FuncOp kernel, llvm::function_ref<llvm::SmallVector<Ring *>(mlir::OpBuilder &)> makeRings,
                ProducerSlice &slice, ProducerSlice::Iteration fill,
                llvm::function_ref<void(mlir::IRRewriter &, llvm::SmallVector<mlir::Value>)> consume);

} // namespace nereid::gpu
