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

// On the module of the kernel. A pass fails where the kernel has what the target cannot do, and says so at the op: that is
// the user's error. Remarks go to `remarks`, if somebody asks, a line each.
Result<void> runPasses(mlir::PassManager &passes, mlir::func::FuncOp kernel, std::string *remarks = nullptr);

// Whether the IR verifies.
Result<void> verified(mlir::func::FuncOp kernel);

// A mistake of ours: what was made of the kernel is refused by a verifier.
Error bugIn(mlir::func::FuncOp kernel, const std::string &problem);

} // namespace nereid::codegen
