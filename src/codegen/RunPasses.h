// RunPasses.h: runs a back end's list of passes and turns what they say into results.
#pragma once

#include "nereid/result.hpp"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace mlir {
class PassManager;
}

namespace nereid::codegen {

// Whether the IR is verified after every single pass: in debug builds.
#ifdef NEREID_VERIFIES_PASSES
constexpr bool kVerifiesPasses = true;
#else
constexpr bool kVerifiesPasses = false;
#endif

// On the module of the kernel. What a verifier finds is our own bug. A pass fails where the kernel has what the target cannot do, and says so at the op: that is
// the user's error. Remarks go to `remarks`, if somebody asks, a line each.
Result<void> runPasses(mlir::PassManager &passes, mlir::func::FuncOp kernel, std::string *remarks = nullptr);

// Whether the IR that was made of a kernel verifies.
Result<void> verified(mlir::Operation *op, llvm::StringRef kernel);

// A mistake of ours: what was made of the kernel is refused by a verifier, by LLVM or by an assembler.
Error bugIn(llvm::StringRef kernel, const std::string &problem);

// While one stands, the passes that runPasses runs on this thread are verified one by one, and it keeps what the first wrong
// one was given; with none wrong, what the last one left. For reproducers: a compilation that failed is followed once more.
class PassTrace {
public:
  PassTrace();
  ~PassTrace();
  PassTrace(const PassTrace &) = delete;
  static PassTrace *current();

  std::string pass; // the wrong one; empty: none was
  std::string ir;   // before it
};

// For tests of all this: called after each pass on what it has made, which it may spoil.
using PassFault = void (*)(llvm::StringRef pass, mlir::Operation *op);
void setPassFault(PassFault fault);

} // namespace nereid::codegen
