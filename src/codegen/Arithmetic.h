// Arithmetic.h: integer and float arithmetic as LLVM IR, with the interpreter's meaning of what hardware leaves open.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::codegen {

using Operands = llvm::ArrayRef<llvm::Value *>;

// The op of that name on scalars or on vectors of equal length; floats are of LLVM's float types. Null: there is none.
llvm::Value *emitArithmetic(llvm::IRBuilder<> &builder, llvm::StringRef name, Operands operands);

llvm::CmpInst::Predicate predicateOf(mlir::arith::CmpIPredicate predicate);
llvm::CmpInst::Predicate predicateOf(mlir::arith::CmpFPredicate predicate);

// `type` with the lanes of `like`.
llvm::Type *withLanes(llvm::Type *type, llvm::Value *like);

} // namespace nereid::codegen
