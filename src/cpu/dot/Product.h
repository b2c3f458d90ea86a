// Product.h: one whole product as a function: packing and kernels, block of rows by block of rows.
#pragma once

#include "cpu/dot/Plan.h"

namespace nereid::cpu::dot {

// Bytes of the packed operands, the lhs first.
uint64_t packedLhsBytes(const DotSpec &spec, const DotPlan &plan);
uint64_t packedRhsBytes(const DotSpec &spec, const DotPlan &plan);

struct ProductSpec {
  DotSpec dot;
  int64_t accStride = 0;            // between rows of the accumulator
  std::optional<int64_t> lhsStride; // between rows of the lhs, if constant
};

// void(ptr lhs, i64 rowStride, i64 columnStride, ptr rhs, i64 rowStride, i64 columnStride, ptr acc, ptr scratch)
llvm::Function *productFunction(llvm::Module &module, const Target &target, const DotPlan &plan,
                                const ProductSpec &spec);

} // namespace nereid::cpu::dot
