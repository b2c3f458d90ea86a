// EmitIR.h: a kernel and the types of its arguments in, verified tile IR out.
#pragma once

#include "lang/Loader.h"
#include "lang/emit/Emitter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::lang {

// What is known of one kernel argument at compile time.
struct ArgumentSpec {
  enum class Kind { Constant, Scalar, Descriptor, Tuple, BlockPointer } kind = Kind::Constant;
  Value constant;           // Constant: constexpr, None, a 1 that was specialized
  Type type;                // Scalar: a scalar or pointer; of an operation also a block. Descriptor: the block type
  int64_t divisibility = 1; // of the value, or of the pointer's address
  bool nanPadding = false;  // Descriptor
  std::vector<ArgumentSpec> items;  // Tuple. BlockPointer: the base, then extents, strides and offsets
  Shape blockShape;                 // BlockPointer
  std::vector<int> order;           // BlockPointer
  std::shared_ptr<const Class> cls; // Tuple: a named tuple's class
};

// Emits `kernel` for these arguments (one per parameter, in order; `*args` gets a Tuple). Null after reporting.
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, Session &session, const Function &kernel,
                                             const std::vector<ArgumentSpec> &arguments, const EmitOptions &options);

// Emits a function that computes values and gives them back: one operation of the language on tiles that exist already.
// `result` is what it returns, in terms of the values that the IR function returns. Null after reporting.
mlir::OwningOpRef<mlir::ModuleOp> emitOperation(mlir::MLIRContext &context, Session &session, const Function &function,
                                                const std::vector<ArgumentSpec> &arguments, const EmitOptions &options,
                                                Value &result);

} // namespace nereid::lang
