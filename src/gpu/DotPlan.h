// DotPlan.h: which instruction computes a matrix product, and the layouts that it takes and gives.
#pragma once

#include "gpu/LayoutRules.h"
#include "gpu/Options.h"

#include "dialect/Tile.h"

namespace nereid::gpu {

struct DotPlan {
  enum class Kind { Fma, Mma, MmaDouble };
  Kind kind = Kind::Fma;
  LinearLayout result;
  LinearLayout lhs, rhs; // Fma takes its operands in any layout
};

DotPlan planDot(tile::DotOp op, const Options &options);

// The plan's kind stays with the op: "fma", "mma" or "mma.f64".
constexpr const char *kInstructionAttribute = "warp.instruction";
const char *instructionName(DotPlan::Kind kind);

// How many elements along K a lane holds next to each other for mma.sync on operands of this type.
unsigned contiguousAlongK(mlir::Type element, tile::InputPrecision precision);

} // namespace nereid::gpu
