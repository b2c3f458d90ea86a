// PipelineLoops.h: in loops with products, the tiles of later turns are copied into shared memory while tensor cores
// work.
#pragma once

#include "gpu/Options.h"
#include "gpu/dialect/Warp.h"

#include "analysis/AxisInfo.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

void pipelineLoops(mlir::func::FuncOp kernel, const Options &options);
// Why a load for a product cannot be a copy that runs ahead; empty where it can.
std::string whyNotAhead(tile::LoadOp load, const analysis::AxisInfoAnalysis &axes, const Options &options);
// 8-bit floats without an instruction of their own become f16 in front of products.
void promoteProducts(mlir::func::FuncOp kernel, const Options &options);
// A product that is added to a tile starts from that tile.
void accumulateProducts(mlir::func::FuncOp kernel);
// Rows that loops load come a turn early.
void prefetchLoads(mlir::func::FuncOp kernel, const Options &options);
// What products give is written block by block by the copy engine where that can be.
void storeBlocks(mlir::func::FuncOp kernel, const Options &options);
// The buffer through which a tile leaves beside buffers that stay in use: a part of its columns in each slot.
warp::BufferType storeBuffer(mlir::RankedTensorType tile);
constexpr unsigned kStoreSlots = 2;
// Operands of products by wgmma that are not in shared memory yet are put there (B always; A unless it was just
// computed).
void stageOperands(mlir::func::FuncOp kernel, const Options &options);
// Whether its left operand comes out of another product and stays in registers.
bool staysInRegisters(tile::DotOp dot);

// What that takes for the products of a loop, where `isInBuffer` says which tiles are operands in buffers already.
uint64_t bytesToStage(mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Value, unsigned)> isInBuffer,
                      const Options &options);

// What of shared memory a block can have on this GPU.
uint64_t sharedMemoryLimit(const Options &options);

} // namespace nereid::gpu
