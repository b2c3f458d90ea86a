// DotEmulation.h: instructions of CPUs that this machine is not, as plain code, so that the products that use them run
// anywhere.
#pragma once

namespace llvm {
class Module;
}

namespace nereid::cpu::test {

// Replaces the instructions of AMX, AVX512-BF16, AVX512-VNNI and AVX512-BW that products use.
void emulateInstructions(llvm::Module &module);

} // namespace nereid::cpu::test
