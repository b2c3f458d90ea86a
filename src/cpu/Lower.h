// Lower.h: a kernel of tile IR to machine code for a CPU.
#pragma once

#include "codegen/LlvmWork.h"
#include "cpu/Target.h"
#include "runtime/cpu/Kernel.h"

#include "nereid/result.hpp"

namespace mlir::func {
class FuncOp;
}
namespace nereid::cpu {

struct LowerOptions {
  // Two tensor arguments share memory: a store may change what a load of another argument reads.
  bool mayOverlap = false;
  bool debugInfo = false;
};

// LLVM IR before its passes, as the module of `work`; fills all of `artifact` but the object. The kernel is
// planned (compiler/Pipeline.cpp).
Result<void> lower(mlir::func::FuncOp kernel, const Target &target, const LowerOptions &options,
                   codegen::LlvmWork &work, Artifact &artifact);

} // namespace nereid::cpu
