// Pack.h: brings an operand into the layout that the kernel reads.
#pragma once

#include "cpu/dot/Plan.h"

namespace nereid::cpu::dot {

// An operand as the packing sees it.
struct PackSpec {
  DotElement element = DotElement::F32;
  DotPrecision precision = DotPrecision::IEEE;
  DotSource source = DotSource::Strided;
  int64_t extent = 0, depth = 0;
  PackedLayout layout;
};

// void(ptr from, i64 extentStride, i64 depthStride, ptr to): strides in elements; of a contiguous axis it is not read.
// The target of the builder's module.
llvm::Function *packFunction(llvm::Module &module, const Target &target, const DotPlan &plan, const PackSpec &spec);

} // namespace nereid::cpu::dot
