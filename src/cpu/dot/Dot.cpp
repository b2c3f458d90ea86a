// Dot.cpp: a product as calls of functions that each multiply a part of it that fits in the caches.
#include "cpu/dot/Dot.h"

#include "cpu/dot/Plan.h"
#include "cpu/dot/Product.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace nereid::cpu {

using namespace dot;
using llvm::Value;

// A block of rows of the lhs stays in the first-level cache, the packed rhs in the second.
static constexpr int64_t kMaxDepth = 1024, kMaxRhsBytes = 512 * 1024;

static DotSpec chunkOf(const DotSpec &spec) {
  DotSpec chunk = spec;
  chunk.k = std::min(spec.k, kMaxDepth);
  int64_t columns = kMaxRhsBytes / (chunk.k * (spec.acc == DotElement::F64 ? 8 : 4));
  chunk.n = std::min(spec.n, columns / 64 * 64);
  return chunk;
}

static uint64_t scratchBytes(const DotSpec &chunk, const Target &target, DotSource lhs, DotSource rhs) {
  DotPlan plan = planDot(chunk, target, lhs, rhs);
  return packedLhsBytes(chunk, plan) + packedRhsBytes(chunk, plan);
}

// Whatever the layouts of the operands turn out to be.
uint64_t dotScratchBytes(const DotSpec &spec, const Target &target) {
  DotSpec chunk = chunkOf(spec);
  uint64_t bytes = 0;
  for (DotSource lhs : {DotSource::AlongDepth, DotSource::AcrossDepth, DotSource::Strided})
    bytes = std::max(bytes, scratchBytes(chunk, target, lhs, DotSource::Strided));
  return bytes;
}

static std::optional<int64_t> constantOf(Value *value) {
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
    return constant->getSExtValue();
  return std::nullopt;
}

static DotSource sourceOf(Value *extentStride, Value *depthStride) {
  return constantOf(depthStride) == 1    ? DotSource::AlongDepth
         : constantOf(extentStride) == 1 ? DotSource::AcrossDepth
                                         : DotSource::Strided;
}

void emitDot(llvm::IRBuilderBase &builder, const Target &target, const DotSpec &spec, DotOperand lhs, DotOperand rhs,
             Value *acc, Value *scratch) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  DotSource lhsSource = sourceOf(lhs.rowStride, lhs.columnStride),
            rhsSource = sourceOf(rhs.columnStride, rhs.rowStride);
  auto elementAt = [&](const DotOperand &operand, DotElement element, int64_t row, int64_t column) {
    Value *index = builder.CreateAdd(builder.CreateMul(operand.rowStride, builder.getInt64(row)),
                                     builder.CreateMul(operand.columnStride, builder.getInt64(column)));
    return builder.CreateGEP(builder.getIntNTy(bitsOf(element)), operand.data, index);
  };
  DotSpec whole = chunkOf(spec);
  for (int64_t k = 0; k < spec.k; k += whole.k)
    for (int64_t n = 0; n < spec.n; n += whole.n) {
      DotSpec chunk = spec;
      chunk.k = std::min(whole.k, spec.k - k), chunk.n = std::min(whole.n, spec.n - n);
      DotPlan plan = planDot(chunk, target, lhsSource, rhsSource);
      ProductSpec product{chunk, spec.n, constantOf(lhs.rowStride)};
      Value *sums = builder.CreateGEP(builder.getIntNTy(bitsOf(spec.acc)), acc, builder.getInt64(n));
      builder.CreateCall(productFunction(module, target, plan, product),
                         {elementAt(lhs, spec.lhs, 0, k), lhs.rowStride, lhs.columnStride,
                          elementAt(rhs, spec.rhs, k, n), rhs.rowStride, rhs.columnStride, sums, scratch});
    }
}

} // namespace nereid::cpu
