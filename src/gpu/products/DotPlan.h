// DotPlan.h: which instruction computes a matrix product, and the layouts that it takes and gives.
#pragma once

#include "gpu/Options.h"
#include "gpu/dialect/Warp.h"
#include "gpu/layouts/LayoutRules.h"

#include "dialect/Tile.h"

namespace nereid::gpu {

struct DotPlan {
  using Kind = warp::Instruction;
  Kind kind = Kind::Fma;
  LinearLayout result;
  LinearLayout lhs, rhs; // Fma takes its operands in others too, and Wgmma its right one from shared memory
  LinearLayout places;   // of a sparse operand
};

DotPlan planDot(tile::DotOp op, const Options &options);

// Of a product without tensor cores: an operand of which each thread has all that it multiplies, along the axis of K.
LinearLayout wholeOperandLayout(const LinearLayout &result, unsigned axis, int64_t depth);

// Whether wgmma computes the product: four warps together, operands in shared memory.
// Why it does not; empty where it does.
std::string whyNotWgmma(tile::DotOp op, const Options &options);
bool usesWgmma(tile::DotOp op, const Options &options);
// Whether instructions of 16 rows, not 8, multiply its doubles.
bool usesLongDoubleMma(tile::DotOp op, const Options &options);
// Whether a product by wgmma may be under way while threads do other work: registers that it reads must not change until it
// has ended, which the assembler knows of sums alone. A sparse operand's places are such registers.
bool maySpan(tile::DotOp op);
// Or mma.sync: each warp for itself, operands in registers.
bool usesTensorCores(tile::DotOp op, const Options &options);
// Of mma.sync: whether an operand from outside of a loop stays in registers all through it, as long as there are enough
// for the operands and sums of its products. Else each iteration reads it anew.
bool isHeldByLoop(mlir::Value tile, tile::DotOp op, const Options &options);
// Of wgmma: how the warps share the result, and how many columns one instruction has.
llvm::SmallVector<int64_t, 4> wgmmaWarps(llvm::ArrayRef<int64_t> shape, unsigned warps);
unsigned wgmmaColumns(llvm::ArrayRef<int64_t> shape, unsigned warps);

// How many elements along K a lane holds next to each other for mma.sync on operands of this type.
unsigned contiguousAlongK(mlir::Type element, tile::InputPrecision precision);

} // namespace nereid::gpu
