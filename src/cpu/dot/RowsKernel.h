// RowsKernel.h: the product of a few rows of the lhs with the whole rhs: what fits in registers at a time.
#pragma once

#include "cpu/dot/Plan.h"

namespace nereid::cpu::dot {

struct RowsKernelSpec {
  DotSpec dot;
  int64_t rows = 0;
  int64_t accStride = 0;            // between rows of the accumulator
  std::optional<int64_t> lhsStride; // between rows of the lhs, in units; none: an argument
  int64_t lhsDepthStride = 1;
  // Read the rhs from its own memory instead of the packed array, and fill that one if more rows follow.
  bool readsSource = false, fillsPacked = false;
};

// void(ptr lhs, i64 lhsStride, ptr rhs, ptr rhsSource, i64 rhsSourceStride, ptr acc): acc[rows][n] += lhs x rhs.
llvm::Function *rowsKernelFunction(llvm::Module &module, const Target &target, const DotPlan &plan,
                                   const RowsKernelSpec &spec);

} // namespace nereid::cpu::dot
