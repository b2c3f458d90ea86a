// Elements.h: element types of tile IR as LLVM types.
//
// Pointers are i64 addresses; narrow floats (f16, bf16, fp8) are integers that hold their bits; a truth value is i1 in
// registers and a byte in memory.
#pragma once

#include "codegen/Arithmetic.h"

#include "mlir/IR/BuiltinTypes.h"

namespace nereid::cpu {

using codegen::emitMath;
using codegen::narrow;
using codegen::NarrowFloat;
using codegen::narrowFloatOf;
using codegen::widen;

// `type` may be a tile: its element counts.
llvm::Type *registerType(llvm::LLVMContext &context, mlir::Type type);
llvm::Type *memoryType(llvm::LLVMContext &context, mlir::Type type);
unsigned elementBytes(mlir::Type type);
// The numbers of a constant attribute as an LLVM constant of the register type; scalars and splats.
llvm::Constant *scalarConstant(llvm::LLVMContext &context, mlir::Attribute value, mlir::Type type);
bool isTile(mlir::Type type);

} // namespace nereid::cpu
