// FewBits.h: integers of few bits, several of which are in a register, as floats and shifted: what weights of four and eight bits
// pass through.
#pragma once

#include "codegen/Arithmetic.h"

#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace nereid::gpu {

// How many bits the value has, where it is known not to be negative.
std::optional<unsigned> bitsOf(llvm::IRBuilder<> &b, llvm::Value *value, bool isSigned);

// Small numbers n as f16, bf16 or f32: as the last bits of a power, 2^10 + n, 2^7 + n or 2^23 + n, which is taken from them.
// Conversions have a unit of their own, which is slow; this is done for two 16-bit floats at a time. Null: n is not known to be
// small enough, or the unit is as fast.
llvm::Value *fromSmall(llvm::IRBuilder<> &b, llvm::Value *value, bool isSigned, llvm::Type *to);

// Numbers of 8 or 16 bits that are shifted by one constant: a register of them at a time, and what came from a neighbour is cut
// off. LLVM would take them apart. Null: they are no such numbers.
llvm::Value *shiftInWords(llvm::IRBuilder<> &b, codegen::Operands operands, bool isLeft);

} // namespace nereid::gpu
