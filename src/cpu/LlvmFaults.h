// LlvmFaults.h: what LLVM 22's code generator for x86 gets wrong, kept away from it. Each was found by random programs
// (test/differential/found).
#pragma once

namespace llvm {
class Module;
}

namespace nereid::cpu {

// Once, before the first code generation: the pass that avoids blocked store forwarding asks masked accesses for a size
// that they do not have, and aborts (seen with AVX2).
void disableFaultyPasses();

// A masked store under a constant mask with one lane, of a vector that was truncated for it: the generator stores the
// element as wide as it was before. Such stores become stores of the element.
void rewriteFaultyStores(llvm::Module &module);

} // namespace nereid::cpu
