// Kernel.h: products of packed operands.
#pragma once

#include "cpu/dot/Plan.h"

namespace nereid::cpu {

struct KernelSpec {
  int64_t m = 0, n = 0;
  PackedLayout lhs, rhs;
};

// void(ptr lhs, ptr rhs, ptr acc): acc[m][n] += lhs x rhs.
llvm::Function *kernelFunction(llvm::Module &module, const Target &target, const DotPlan &plan, const KernelSpec &spec);

// The body of the vector kernel; the operands are arguments of the function that the builder stands in.
void emitVectorKernel(llvm::IRBuilderBase &builder, const Target &target, const DotPlan &plan, const KernelSpec &spec,
                      llvm::ArrayRef<llvm::Value *> operands);

} // namespace nereid::cpu
