// Object.h: LLVM IR to machine code. No linker: the run time's loader takes the object as it is.
#pragma once

#include "cpu/Target.h"

#include "nereid/result.hpp"

#include <cstddef>
#include <vector>

namespace llvm {
class Module;
}

namespace nereid::cpu {

// Sets triple and data layout and runs the passes that our code profits from (no loop or SLP vectorizer: the code is
// vectors already). In place.
void optimize(llvm::Module &module, const Target &target);
// Whether the code uses AMX: the run time then asks the system for its registers (Artifact::usesTileRegisters).
bool usesTileRegisters(const llvm::Module &module);
// An ELF object, and the same as assembly text.
Result<std::vector<std::byte>> emitObject(llvm::Module &module, const Target &target);
Result<std::string> emitAssembly(llvm::Module &module, const Target &target);

} // namespace nereid::cpu
