// PipelineLoops.h: in loops with products, the tiles of later iterations are copied into shared memory while tensor cores
// work.
#pragma once

#include "gpu/Options.h"
#include "gpu/dialect/Warp.h"

#include "analysis/AxisInfo.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

// Why a load for a product cannot be a copy that runs ahead; empty where it can.
std::string whyNotAhead(tile::LoadOp load, const analysis::AxisInfoAnalysis &axes, const Options &options);
// The axis along which the addresses of a tile with two axes follow each other.
unsigned fastAxis(const analysis::AxisInfo &info);
// The buffer through which a tile leaves beside buffers that stay in use: a part of its columns in each slot.
warp::BufferType storeBuffer(mlir::RankedTensorType tile);
constexpr unsigned kStoreSlots = 2;
// Whether a product's left operand comes out of another product and stays in registers. All other operands of wgmma are
// in shared memory.
bool staysInRegisters(tile::DotOp dot);

// What it takes to put them there for the products of a loop, where `isInBuffer` says which tiles are operands in buffers already.
uint64_t bytesToStage(mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Value, unsigned)> isInBuffer,
                      const Options &options);

} // namespace nereid::gpu
