// Math.h: mathematical functions and conversions of narrow floats as LLVM IR, for scalars and for vectors of any number
// of lanes. No calls to a library. Short functions, and the f32 forms of those that kernels spend their time in (exp,
// exp2, log, tanh, erf, …), are inlined without branches; the long ones become pure internal functions of the module,
// `nereid.math.*`, written once for a register of f64. In both cases the builder stays in its block.
//
// Values of narrow float types (f16, bf16, the fp8 formats) are carried as integers of their width holding the bits.
#pragma once

#include "codegen/math/MathTarget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::codegen {

enum class NarrowFloat { F16, BF16, F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F8E4M3B11FNUZ };

// `name` is an op of MLIR's math dialect ("math.exp", "math.erf", …) or a `__nv_*` function of libdevice; operands are
// float or double, or vectors of them. Null: there is no inline form, and the caller calls the interpreter's kernel.
llvm::Value *emitMath(llvm::IRBuilderBase &builder, const MathTarget &target, llvm::StringRef name,
                      llvm::ArrayRef<llvm::Value *> operands);

// Bits to float (exact), and float to bits: rounded to nearest even, or toward zero; what is too large becomes what the
// interpreter makes of it (src/interp/NarrowFloat.h, Float8.h).
llvm::Value *widen(llvm::IRBuilderBase &builder, const MathTarget &target, llvm::Value *bits, NarrowFloat type);
llvm::Value *narrow(llvm::IRBuilderBase &builder, const MathTarget &target, llvm::Value *value, NarrowFloat type,
                    bool towardZero = false);

} // namespace nereid::codegen
