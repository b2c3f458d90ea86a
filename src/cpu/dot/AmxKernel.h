// AmxKernel.h: products in the tile registers of AMX.
#pragma once

#include "cpu/dot/Plan.h"

namespace nereid::cpu::dot {

// void(ptr lhs, i64 lhsStride, ptr rhs, ptr acc): acc[m][n] += lhs x rhs. The lhs lies in rows of whole tiles, their
// stride in bytes; the rhs is packed. The calling thread has permission to use the tile registers.
llvm::Function *amxKernelFunction(llvm::Module &module, const DotPlan &plan, const DotSpec &spec, int64_t accStride);

} // namespace nereid::cpu::dot
