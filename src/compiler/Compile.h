// Compile.h: tile IR to code: what a launch runs, and the text of every stage on the way there.
#pragma once

#include "compiler/Compiler.h"
#include "compiler/Target.h"
#include "gpu/CodeChoices.h"
#include "gpu/CodeFacts.h"
#include "nereid/result.hpp"
#include "runtime/cpu/Kernel.h"
#include "runtime/cuda/Artifact.h"
#include "runtime/cuda/Assemble.h"
#include "support/ProgramShape.h"

#include <span>

namespace nereid::compiler {

// What `--emit` can show. Not all of it is made here: objects, machine code and C are files for programs (jit).
enum class Stage { Ast, Tile, Planned, Triton, Llvm, Ptx, Cubin, Assembly, Object, Header, Source };
struct StageRow {
  std::string_view name;
  Stage stage;
  bool isForCpu, isForGpu;
};
// In the order of the way; those of neither are for all.
std::span<const StageRow> stages();
const StageRow *findStage(std::string_view name);

// What is asked of the code for one kernel.
struct CodeOptions {
  ProgramShape shape;         // of a GPU's programs
  gpu::CodeChoices choices;   // about a GPU's code
  bool usesTensorMaps = true; // GPU; false: descriptors are read like other memory
  bool remarks = false;       // GPU: Artifact::remarks tells why loops and products are not faster
  bool mayOverlap = false;    // CPU: the memory of two tensor arguments overlaps
  bool debugInfo = false;     // CPU: all of DWARF, not line tables alone
};

// The object, and the PTX (no machine code yet), with everything that the launcher must know.
Result<cpu::Artifact> compileCpu(TileModule tile, const cpu::Target &target, const CodeOptions &options);
// `facts`, if asked for, says what the code does where.
Result<cuda::Artifact> compileGpu(TileModule tile, const gpu::Target &target, const CodeOptions &options,
                                  gpu::CodeFacts *facts = nullptr);
// What the assembler should know of the PTX; it keeps references.
cuda::AssembleRequest assembleRequest(const std::string &kernel, const cuda::Artifact &artifact);

// The text of a stage from Planned to Assembly, as it is on the way to the code: `Triton` is the planned tile IR in Triton's
// words.
Result<std::string> stageText(TileModule tile, const Target &target, const CodeOptions &options, Stage stage);

} // namespace nereid::compiler
