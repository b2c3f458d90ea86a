// AheadOfTime.h: a kernel compiled to a file, from a signature: no arguments, no launch, and no GPU needed.
#pragma once

#include "jit/Backend.h"
#include "jit/SpecializedTile.h"

namespace nereid::jit {

// For a CPU: from LLVM IR to the object and its header. The header of a kernel fits the object that is made with the same
// signature, settings and target: the symbol between them carries a hash of the code.
Result<std::string> emitForCpu(const EmitRequest &request);

// For a GPU: from planned tile IR to machine code. The remarks of the assembler, and where they are asked for ours, go to
// `remarks`.
Result<std::string> emitForGpu(const EmitRequest &request, std::string &remarks);
// The kernel as C, see GpuSource.h: its source or its header.
Result<std::string> emitC(const EmitRequest &request, std::string &remarks);

// Tile IR of what is asked for, and what `make` makes of it; a bug of ours leaves a reproducer.
using FromTile = std::function<Result<std::string>(SpecializedTile &)>;
Result<std::string> withTile(const EmitRequest &request, const FromTile &make);

} // namespace nereid::jit
