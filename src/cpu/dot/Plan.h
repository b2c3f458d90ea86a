// Plan.h: how a product is carried out: what the packed elements are, how they lie, and the size of the register block.
//
// Both operands are seen as (extent, depth): rows of the lhs or columns of the rhs, and k. Along the depth `group`
// neighbours form a unit, the element of the packed arrays: one f32, or a pair of i16 for instructions that sum pairs.
#pragma once

#include "cpu/dot/Dot.h"

namespace nereid::cpu::dot {

enum class DotUnit { F32, F64, I32, I16x2, BF16x2, I8x4 };

// Which axis of an operand is contiguous in memory.
enum class DotSource { AlongDepth, AcrossDepth, Strided };

// Where the unit (e, u) of a packed operand lies, in units:
//   e / panel * panelStride + e % panel * extentStride + u * depthStride
// Units are contiguous along the depth (rows of the lhs) or across it (panels of the rhs, a transposed lhs).
struct PackedLayout {
  bool isAlongDepth = false;
  int64_t panel = 0, panelStride = 0, extentStride = 1, depthStride = 1;
  int64_t size = 0; // units of one part
};

// How the kernel reaches the lhs: in its own memory, a block of rows packed just before its use (that stays in the
// first-level cache), or all of it packed beforehand.
enum class LhsForm { Direct, Block, Whole };

struct DotPlan {
  DotUnit unit = DotUnit::F32;
  unsigned group = 1; // elements of a unit
  unsigned unitBits = 32;
  unsigned lanes = 1; // units of a vector
  bool isAmx = false;
  int64_t units = 0;        // of the depth, the last ones filled with zeros
  int64_t panelVectors = 1; // columns of the register block, in vectors
  int64_t rows = 1;         // the most rows of the register block
  DotSource lhsSource = DotSource::Strided, rhsSource = DotSource::Strided;
  LhsForm lhsForm = LhsForm::Whole;
  // The first block of rows packs the rhs while it multiplies: the copy hides behind the arithmetic.
  bool packsWhileMultiplying = false;

  int64_t panel() const { return panelVectors * lanes; }
};

DotPlan planDot(const DotSpec &spec, const Target &target, DotSource lhs, DotSource rhs);
PackedLayout lhsLayout(const DotSpec &spec, const DotPlan &plan);
PackedLayout rhsLayout(const DotSpec &spec, const DotPlan &plan);

// The precision where it matters: the split is for f32 inputs only.
DotPrecision precisionOf(const DotSpec &spec);
unsigned bitsOf(DotElement element);
llvm::Type *unitType(llvm::LLVMContext &context, DotUnit unit);

} // namespace nereid::cpu::dot
