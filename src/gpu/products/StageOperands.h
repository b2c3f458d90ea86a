// StageOperands.h: which operands of products go through shared memory, and what that takes.
#pragma once

#include "gpu/Options.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

// Whether a product's left operand comes out of another product and stays in registers. All other operands of wgmma are
// in shared memory.
bool staysInRegisters(tile::DotOp dot);
// Whether the tile is the transpose of what comes out of a product: it goes through shared memory to be operand A.
bool isTurnedProduct(mlir::Value tile);

// What it takes to put them there for the products of a loop, where `isInBuffer` says which tiles are operands in buffers already.
uint64_t bytesToStage(mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Value, unsigned)> isInBuffer,
                      const Options &options);

} // namespace nereid::gpu
