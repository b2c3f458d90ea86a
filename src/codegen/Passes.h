// Passes.h: the optimizations of LLVM that both back ends use, in their order.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace nereid::codegen {

// Tiles into registers, common parts, simplifications, and what does not change in a loop out of it.
void addCommonPasses(llvm::FunctionPassManager &passes);

// Inlines what must be, drops what nobody calls, and runs the passes over each function.
void runPasses(llvm::Module &module, llvm::TargetMachine &machine, llvm::FunctionPassManager passes);

} // namespace nereid::codegen
