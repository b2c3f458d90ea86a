// ChooseWarps.cpp: the number of warps is a hint: no program sees it but through registers of the hardware and inline
// assembly. Where the tiles that a loop's products add up take more registers than a thread has, they would live in
// local memory and every product would wait for the one before (C7512): twice the warps have twice the registers. A tile
// of which a thread would load more than it has registers for goes through local memory too, and its code is so long that the
// assembler takes minutes. So do the sums that a loop over rows carries, where they do not fit beside a row.
// Attention whose scores and results fill the registers of four warps ends each of its products before it goes on: in eight warps
// its two groups compute while the other one has the tensor cores, where a producer brings keys and values to both.
#include "gpu/products/ChooseWarps.h"

#include "gpu/products/DotPlan.h"
#include "gpu/products/ScheduleProducts.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

constexpr unsigned kMostWarps = 8;     // for products
constexpr unsigned kWarpsOfBlock = 32; // that the hardware has

static bool seesThreads(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return op->hasTrait<tile::SeesThread>() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// 32-bit registers of the block for the results of all products in one iteration of a loop.
static int64_t mostResults(func::FuncOp kernel, const Options &options) {
  int64_t most = 0;
  kernel.walk([&](scf::ForOp loop) {
    int64_t registers = 0;
    for (auto dot : loop.getBody()->getOps<tile::DotOp>())
      if (usesWgmma(dot, options))
        registers += dot.getType().getNumElements();
    most = std::max(most, registers);
  });
  return most;
}

// 32-bit registers of the block for the largest tile that is loaded.
static int64_t largestLoad(func::FuncOp kernel) {
  int64_t most = 0;
  kernel.walk([&](tile::LoadOp load) {
    if (auto type = dyn_cast<RankedTensorType>(load.getType()); type && type.getElementType().isIntOrFloat())
      most = std::max(most, type.getNumElements() * type.getElementTypeBitWidth() / 32);
  });
  return most;
}

// 32-bit registers of the block for a tile of floats that somebody computed; 0 for all else.
static int64_t floatRegisters(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isComputed =
      !value.getDefiningOp() || !isa<arith::ConstantOp, tile::SplatOp, tile::BroadcastOp>(value.getDefiningOp());
  return type && isa<FloatType>(type.getElementType()) && isComputed
             ? type.getNumElements() * std::max(32u, type.getElementTypeBitWidth()) / 32
             : 0;
}

// 32-bit registers of the block for the floats that a loop without products carries, for those that each of its iterations uses
// again, and for what one of them loads.
static int64_t heldByLoop(func::FuncOp kernel) {
  int64_t most = 0;
  kernel.walk([&](scf::ForOp loop) {
    int64_t held = 0, loaded = 0;
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(loop.getRegion(), outside);
    for (Value value : outside)
      held += floatRegisters(value);
    for (Value value : loop.getRegionIterArgs())
      held += floatRegisters(value);
    for (auto load : loop.getBody()->getOps<tile::LoadOp>())
      loaded += floatRegisters(load.getResult());
    bool hasProducts = loop.walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    // A state that a few numbers change in each iteration is another matter: more warps would have to meet each time.
    constexpr int64_t kRow = 4;
    if (kRow * loaded >= held && !hasProducts)
      most = std::max(most, held + loaded);
  });
  return most;
}

static bool isLoadedByPointers(Value operand) {
  if (auto trans = operand.getDefiningOp<tile::TransOp>())
    operand = trans.getSource();
  return operand.getDefiningOp<tile::LoadOp>() != nullptr;
}

// 32-bit registers of the block for scores, results, and scores that are left operands, in a loop whose keys and values are
// loaded by pointers; 0 for other loops.
static int64_t attentionRegisters(scf::ForOp loop, const Options &options) {
  int64_t scores = 0, results = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    Operation *left = dot.getLhs().getDefiningOp();
    bool isOfQueries = left && !loop->isAncestor(left);
    if (!usesWgmma(dot, options) || !isLoadedByPointers(dot.getRhs()))
      return 0;
    (isOfQueries ? scores : results) += goesOn(dot) ? 0 : dot.getType().getNumElements();
  }
  return scores && results ? (2 * results + 3 * scores) / 2 : 0;
}

unsigned warpsWithProducer(func::FuncOp kernel, const Options &options) {
  constexpr unsigned kGroup = 4;
  if (!options.target.hasTma || options.numWarps != kGroup || options.choices.maxRegisters > 0 || seesThreads(kernel))
    return options.numWarps;
  int64_t most = 0;
  kernel.walk([&](scf::ForOp loop) { most = std::max(most, attentionRegisters(loop, options)); });
  return most > int64_t(kRegistersForProducts) * options.threads() ? 2 * kGroup : kGroup;
}

unsigned chooseWarps(func::FuncOp kernel, const Options &options) {
  unsigned warps = options.numWarps;
  if (options.choices.maxRegisters > 0 || seesThreads(kernel))
    return warps;
  int64_t needed = std::max(largestLoad(kernel), heldByLoop(kernel)),
          fits = options.target.registersOfThread * options.target.warpSize;
  while (warps < kWarpsOfBlock && needed > fits * warps)
    warps *= 2;
  if (warps < 4 || warps >= kMostWarps)
    return warps;
  int64_t results = mostResults(kernel, options);
  constexpr unsigned kRest = 31; // registers of a thread that addresses and operands take
  int64_t most = options.target.registersOfThread - kRest;
  while (warps < kMostWarps && results > most * options.target.warpSize * warps)
    warps *= 2;
  return warps;
}

} // namespace nereid::gpu
