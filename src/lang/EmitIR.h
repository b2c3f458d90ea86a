// EmitIR.h: a kernel and the types of its arguments in, verified tile IR out.
#pragma once

#include "lang/Emitter.h"
#include "lang/Loader.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::lang {

// What is known of one kernel argument at compile time.
struct ArgumentSpec {
  enum class Kind { Constant, Scalar, Descriptor, Tuple } kind = Kind::Constant;
  Value constant;                   // Constant: constexpr, None, a 1 that was specialized
  Type type;                        // Scalar: a scalar or pointer. Descriptor: the block type
  int64_t divisibility = 1;         // of the value, or of the pointer's address
  bool nanPadding = false;          // Descriptor
  std::vector<ArgumentSpec> items;  // Tuple
  std::shared_ptr<const Class> cls; // Tuple: a named tuple's class
};

// Emits `kernel` for these arguments (one per parameter, in order; `*args` gets a Tuple). Null after reporting.
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, Session &session, const Function &kernel,
                                             const std::vector<ArgumentSpec> &arguments, const EmitOptions &options);

} // namespace nereid::lang
