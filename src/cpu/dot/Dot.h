// Dot.h: matrix products as LLVM IR: pack the operands, then a register-blocked kernel that keeps its part of the
// accumulator in registers over the whole depth.
#pragma once

#include "codegen/math/Math.h"
#include "cpu/Target.h"

#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace nereid::cpu {

using codegen::narrow;
using codegen::NarrowFloat;
using codegen::widen;

// The element type of an operand in memory.
enum class DotElement {
  F32,
  F64,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F8E4M3B11FNUZ,
  I8,
  U8,
  I16,
  U16,
  I32
};
// As tile.dot has them: what happens to f32 inputs.
enum class DotPrecision { IEEE, TF32 };

// acc[m, n] += lhs[m, k] x rhs[k, n]
struct DotSpec {
  int64_t m = 0, n = 0, k = 0;
  DotElement lhs = DotElement::F32, rhs = DotElement::F32;
  DotElement acc = DotElement::F32; // F32, F64, I32; F16 and BF16 accumulators are converted by the caller
  DotPrecision precision = DotPrecision::IEEE;
};

// A matrix in memory: strides count elements and may be constants (1 along the fast axis) or run-time i64 values.
struct DotOperand {
  llvm::Value *data = nullptr;
  llvm::Value *rowStride = nullptr, *columnStride = nullptr;
};

// Bytes of scratch that emitDot needs for its packed operands.
uint64_t dotScratchBytes(const DotSpec &spec, const Target &target);

// Emits the product at the builder's place. `acc` points to a row-major m x n array of the acc type, updated in place;
// `scratch` is aligned to 64. The packing and the kernel are internal functions of the module, shared by equal products.
void emitDot(llvm::IRBuilderBase &builder, const Target &target, const DotSpec &spec, DotOperand lhs, DotOperand rhs,
             llvm::Value *acc, llvm::Value *scratch);

} // namespace nereid::cpu
