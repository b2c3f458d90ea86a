// DotEmulation.h: instructions of CPUs that this machine is not, as plain code, so that the products that use them run
// anywhere.
#pragma once

namespace llvm {
class Module;
}

namespace nereid::cpu::test {

// Replaces the instructions of AMX and of AVX512-BF16.
void emulateInstructions(llvm::Module &module);

} // namespace nereid::cpu::test
