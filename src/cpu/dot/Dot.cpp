// Dot.cpp: a product as calls of its packing functions and its kernel.
#include "cpu/dot/Dot.h"

#include "cpu/dot/Kernel.h"
#include "cpu/dot/Pack.h"
#include "cpu/dot/Plan.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

namespace nereid::cpu {

using llvm::Value;

static uint64_t packedBytes(const PackedLayout &layout, const DotPlan &plan) {
  return llvm::alignTo(uint64_t(layout.size) * plan.unitBits / 8, 64) * plan.parts;
}

// The layout of the lhs depends on how it lies in memory: the larger one.
static uint64_t lhsBytes(const DotSpec &spec, const DotPlan &plan) {
  return std::max(packedBytes(lhsLayout(spec, plan, DotSource::AlongDepth), plan),
                  packedBytes(lhsLayout(spec, plan, DotSource::AcrossDepth), plan));
}

uint64_t dotScratchBytes(const DotSpec &spec, const Target &target) {
  DotPlan plan = planDot(spec, target);
  return lhsBytes(spec, plan) + packedBytes(rhsLayout(spec, plan), plan);
}

static bool isOne(Value *value) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant && constant->isOne();
}

static DotSource sourceOf(Value *extentStride, Value *depthStride) {
  return isOne(depthStride) ? DotSource::AlongDepth : isOne(extentStride) ? DotSource::AcrossDepth : DotSource::Strided;
}

// Which parts are multiplied, in the order of Triton's decomposition: small ones first.
static llvm::SmallVector<std::pair<int, int>> productsOf(unsigned parts) {
  if (parts == 2)
    return {{1, 0}, {0, 1}, {0, 0}};
  if (parts == 3)
    return {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
  return {{0, 0}};
}

void emitDot(llvm::IRBuilderBase &builder, const Target &target, const DotSpec &spec, DotOperand lhs, DotOperand rhs,
             Value *acc, Value *scratch) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  DotPlan plan = planDot(spec, target);
  // The split is for f32 inputs only.
  bool isF32 = spec.lhs == DotElement::F32 && spec.rhs == DotElement::F32;
  DotPrecision precision = isF32 ? spec.precision : DotPrecision::IEEE;

  DotSource lhsSource = sourceOf(lhs.rowStride, lhs.columnStride);
  DotSource rhsSource = sourceOf(rhs.columnStride, rhs.rowStride);
  PackedLayout lhsPacked = lhsLayout(spec, plan, lhsSource), rhsPacked = rhsLayout(spec, plan);
  auto offset = [&](Value *base, uint64_t bytes) {
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), base, builder.getInt64(bytes));
  };
  Value *packedLhs = scratch, *packedRhs = offset(scratch, lhsBytes(spec, plan));

  PackSpec packLhs{spec.lhs, precision, lhsSource, spec.m, spec.k, lhsPacked};
  builder.CreateCall(packFunction(module, target, plan, packLhs),
                     {lhs.data, lhs.rowStride, lhs.columnStride, packedLhs});
  PackSpec packRhs{spec.rhs, precision, rhsSource, spec.n, spec.k, rhsPacked};
  builder.CreateCall(packFunction(module, target, plan, packRhs),
                     {rhs.data, rhs.columnStride, rhs.rowStride, packedRhs});

  llvm::Function *kernel = kernelFunction(module, target, plan, {spec.m, spec.n, lhsPacked, rhsPacked});
  uint64_t unitBytes = plan.unitBits / 8;
  for (auto [i, j] : productsOf(plan.parts))
    builder.CreateCall(kernel, {offset(packedLhs, i * lhsPacked.size * unitBytes),
                                offset(packedRhs, j * rhsPacked.size * unitBytes), acc});
}

} // namespace nereid::cpu
