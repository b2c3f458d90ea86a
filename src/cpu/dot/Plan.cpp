// Plan.cpp: the choice of units, layouts and register blocks.
#include "cpu/dot/Plan.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace nereid::cpu::dot {

unsigned bitsOf(DotElement element) {
  switch (element) {
  case DotElement::F64: return 64;
  case DotElement::F32:
  case DotElement::I32: return 32;
  case DotElement::F16:
  case DotElement::BF16:
  case DotElement::I16:
  case DotElement::U16: return 16;
  default: return 8;
  }
}

llvm::Type *unitType(llvm::LLVMContext &context, DotUnit unit) {
  switch (unit) {
  case DotUnit::F32: return llvm::Type::getFloatTy(context);
  case DotUnit::F64: return llvm::Type::getDoubleTy(context);
  default: return llvm::Type::getInt32Ty(context);
  }
}

static bool isByte(DotElement element) { return element == DotElement::I8 || element == DotElement::U8; }
static bool fitsI16(DotElement element) { return isByte(element) || element == DotElement::I16; }
static bool isX86(const Target &target) { return llvm::StringRef(target.triple).starts_with("x86_64"); }

// Tiles of 16 x 16 sums without tails: other shapes take the vector kernel.
static bool fitsAmx(const DotSpec &spec, const Target &target) {
  bool isInteger = spec.acc == DotElement::I32;
  return (isInteger ? target.hasAmxInt8 : target.hasAmxBf16) && spec.m % 16 == 0 && spec.n % 16 == 0;
}

static DotUnit chooseUnit(const DotSpec &spec, const Target &target) {
  if (spec.acc == DotElement::F64)
    return DotUnit::F64;
  if (spec.acc == DotElement::I32) {
    if (isByte(spec.lhs) && isByte(spec.rhs) && fitsAmx(spec, target))
      return DotUnit::I8x4;
    return fitsI16(spec.lhs) && fitsI16(spec.rhs) && isX86(target) ? DotUnit::I16x2 : DotUnit::I32;
  }
  bool isBF16 = spec.lhs == DotElement::BF16 && spec.rhs == DotElement::BF16;
  return isBF16 && (target.hasBf16 || fitsAmx(spec, target)) ? DotUnit::BF16x2 : DotUnit::F32;
}

static unsigned groupOf(DotUnit unit) {
  return unit == DotUnit::I8x4 ? 4 : unit == DotUnit::I16x2 || unit == DotUnit::BF16x2 ? 2 : 1;
}

DotPrecision precisionOf(const DotSpec &spec) {
  bool isF32 = spec.lhs == DotElement::F32 && spec.rhs == DotElement::F32 && spec.acc == DotElement::F32;
  return isF32 ? spec.precision : DotPrecision::IEEE;
}

// One instruction multiplies and adds: no register for the products.
static bool isFused(DotUnit unit, const Target &target) {
  switch (unit) {
  case DotUnit::F32:
  case DotUnit::F64: return target.hasFma;
  case DotUnit::I16x2: return target.hasVnni;
  default: return unit == DotUnit::BF16x2;
  }
}

// The block fills the registers but for a row of the rhs, elements of the lhs, and products that are not fused. Wide
// blocks load less for each sum than high ones, as long as the panel divides the usual numbers of columns.
static void planBlock(const DotSpec &spec, const Target &target, DotPlan &plan) {
  bool isLarge = target.hasAvx512 || !isX86(target);
  int64_t vectors = llvm::divideCeil(spec.n, int64_t(plan.lanes));
  plan.panelVectors = std::min<int64_t>(isLarge && !plan.isAmx ? 4 : 2, vectors);
  int64_t sums = isLarge ? 24 : isFused(plan.unit, target) ? 12 : 10;
  plan.rows = std::min<int64_t>(12, sums / plan.panelVectors);
}

// Elements of the right type are read where they are: few rows at a time, so that no stride overfills a set of the
// cache.
static LhsForm chooseLhsForm(const DotSpec &spec, const DotPlan &plan) {
  if (plan.isAmx) {
    bool isWhole = plan.units * plan.group == spec.k;
    return isWhole && plan.lhsSource == DotSource::AlongDepth ? LhsForm::Direct : LhsForm::Whole;
  }
  if (plan.lhsSource == DotSource::AcrossDepth)
    return LhsForm::Whole;
  bool isSame = plan.unit == DotUnit::F64 ? spec.lhs == DotElement::F64
                                          : plan.unit == DotUnit::F32 && spec.lhs == DotElement::F32;
  bool isPlain = isSame && (plan.unit == DotUnit::F64 || precisionOf(spec) == DotPrecision::IEEE);
  return isPlain && plan.lhsSource == DotSource::AlongDepth ? LhsForm::Direct : LhsForm::Block;
}

DotPlan planDot(const DotSpec &spec, const Target &target, DotSource lhs, DotSource rhs) {
  DotPlan plan;
  plan.lhsSource = lhs, plan.rhsSource = rhs;
  plan.unit = chooseUnit(spec, target);
  plan.group = groupOf(plan.unit);
  plan.unitBits = plan.unit == DotUnit::F64 ? 64 : 32;
  plan.lanes = std::max(1u, target.lanes(plan.unitBits));
  plan.units = llvm::divideCeil(spec.k, int64_t(plan.group));
  plan.isAmx = plan.group > 1 && plan.unit != DotUnit::I16x2 && fitsAmx(spec, target);
  if (plan.isAmx)
    plan.units = llvm::alignTo(plan.units, 16);
  planBlock(spec, target, plan);
  plan.lhsForm = chooseLhsForm(spec, plan);
  plan.packsWhileMultiplying = !plan.isAmx && rhs == DotSource::AcrossDepth;
  return plan;
}

// A stride that is an odd number of cache lines reaches all sets of the cache.
static int64_t spreadStride(int64_t count, const DotPlan &plan) {
  int64_t line = 512 / plan.unitBits;
  return (llvm::divideCeil(count, line) | 1) * line;
}

PackedLayout lhsLayout(const DotSpec &spec, const DotPlan &plan) {
  PackedLayout layout;
  layout.isAlongDepth = plan.lhsForm != LhsForm::Whole || plan.isAmx;
  int64_t rows = plan.lhsForm == LhsForm::Block ? std::min(spec.m, plan.rows) : spec.m;
  int64_t count = layout.isAlongDepth ? rows : plan.units;
  int64_t stride = spreadStride(layout.isAlongDepth ? plan.units : rows, plan);
  (layout.isAlongDepth ? layout.extentStride : layout.depthStride) = stride;
  layout.panel = layout.isAlongDepth ? rows : stride;
  layout.size = plan.lhsForm == LhsForm::Direct ? 0 : count * stride;
  return layout;
}

PackedLayout rhsLayout(const DotSpec &spec, const DotPlan &plan) {
  PackedLayout layout;
  layout.panel = layout.depthStride = plan.panel();
  layout.panelStride = plan.units * layout.panel;
  layout.size = llvm::alignTo(llvm::divideCeil(spec.n, layout.panel) * layout.panelStride, 16);
  return layout;
}

} // namespace nereid::cpu::dot
