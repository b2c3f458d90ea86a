// Arithmetic.h: integer and float arithmetic as LLVM IR, with the interpreter's meaning of what hardware leaves open.
#pragma once

#include "codegen/math/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::codegen {

using Operands = llvm::ArrayRef<llvm::Value *>;

// The op of that name on scalars or on vectors of equal length; floats are of LLVM's float types. Null: there is none.
llvm::Value *emitArithmetic(llvm::IRBuilder<> &builder, llvm::StringRef name, Operands operands);

// The rest of a signed division that nobody asks the quotient for.
llvm::Value *emitRestAlone(llvm::IRBuilder<> &builder, llvm::Value *dividend, llvm::Value *divisor);

llvm::CmpInst::Predicate predicateOf(mlir::arith::CmpIPredicate predicate);
llvm::CmpInst::Predicate predicateOf(mlir::arith::CmpFPredicate predicate);

// A float to an integer type: what does not fit becomes the nearest that does, and no number becomes 0.
llvm::Value *emitToInteger(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Type *to, bool isSigned);

// The format of an element type that is carried as bits; nothing for the others.
std::optional<NarrowFloat> narrowFloatOf(mlir::Type type);

// `type` with the lanes of `like`.
llvm::Type *withLanes(llvm::Type *type, llvm::Value *like);

} // namespace nereid::codegen
