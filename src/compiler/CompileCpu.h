// CompileCpu.h: tile IR to machine code for a CPU.
#pragma once

#include "compiler/Compiler.h"
#include "cpu/Target.h"
#include "nereid/result.hpp"
#include "runtime/cpu/Kernel.h"

namespace nereid::compiler {

struct CpuOptions {
  bool mayOverlap = false; // the memory of two tensor arguments overlaps
  bool debugInfo = false;  // line tables
};

// The module is used up.
Result<cpu::Artifact> compileCpu(const TileModule &tile, const cpu::Target &target, const CpuOptions &options);

// The text of one stage on that way.
enum class CpuStage { Tile, Llvm, Assembly }; // tile IR as the CPU takes it, under Triton's names
Result<std::string> compileCpuText(const TileModule &tile, const cpu::Target &target, const CpuOptions &options,
                                   CpuStage stage);

} // namespace nereid::compiler
