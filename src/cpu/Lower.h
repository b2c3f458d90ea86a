// Lower.h: a kernel of tile IR to machine code for a CPU.
#pragma once

#include "cpu/Target.h"
#include "runtime/cpu/Kernel.h"

#include "nereid/result.hpp"

#include <memory>

namespace mlir::func {
class FuncOp;
}
namespace llvm {
class Module;
class LLVMContext;
} // namespace llvm

namespace nereid::cpu {

struct LowerOptions {
  // Two tensor arguments share memory: a store may change what a load of another argument reads.
  bool mayOverlap = false;
  bool debugInfo = false;
};

// LLVM IR before its passes; fills all of `artifact` but the object. Null after an error. The kernel's module is
// changed.
Result<std::unique_ptr<llvm::Module>> lower(mlir::func::FuncOp kernel, const Target &target,
                                            const LowerOptions &options, llvm::LLVMContext &context,
                                            Artifact &artifact);

} // namespace nereid::cpu
