// CodeView.h: what the compiler makes of a kernel, stage by stage.
#pragma once

#include "view/StageText.h"

#include "compiler/Target.h"
#include "jit/Bind.h"
#include "jit/Specialize.h"
#include "runtime/cuda/AssembledLines.h"

namespace nereid::view {

// The IR behind a pass that changed it.
struct PassText {
  std::string pass; // warp-pipeline-loops
  std::string text;
};

// How the threads of a program hold a tile. A place is a number: the bits of the register, above them those of the lane,
// of the warp and of the block. The element there is the XOR of one basis for each bit that is set; a basis is a row-major index.
struct TileLayout {
  std::string text; // as the IR writes it
  std::string element;
  std::vector<int64_t> shape;
  unsigned registerBits = 0, laneBits = 0, warpBits = 0, blockBits = 0;
  std::vector<uint64_t> bases;
  std::vector<std::pair<std::string, uint32_t>> uses; // ops whose result has it, with their places
};

// Something that a planned kernel does with copies, products and barriers.
struct PlanEvent {
  enum class Role : uint8_t { All, Producer, Consumer, After };
  Role role = Role::All;
  std::string kind; // copy, product, wait …
  std::string op;   // warp.copy_async
  uint32_t place = 0;
  uint32_t buffer = 0;         // its number, from 1; 0: none
  int64_t slot = 0, round = 0; // which time that this op is done
  int64_t product = -1;
};

// A buffer in shared memory: where it is, and between which of the kernel's accesses to shared memory it is in use.
struct SharedRange {
  uint64_t offset = 0, bytes = 0;
  uint32_t begin = 0, end = 0; // in the order of the code
  uint32_t place = 0;
};

struct CodeView {
  std::vector<StageText> stages;
  std::vector<PassText> tilePasses, gpuPasses; // the first of each is what was there before
  std::vector<TileLayout> layouts;
  std::vector<PlanEvent> plan;
  bool isPlanCut = false; // there were more events
  std::vector<SharedRange> shared;
  uint64_t sharedBytes = 0;
  unsigned numWarps = 0, numStages = 0, threads = 0;
  unsigned registers = 0, spilledBytes = 0; // 0: there is no assembler
  std::vector<cuda::Fp32Line> fp32Lines;
  std::string remarks;
};

struct CodeRequest {
  jit::KernelModule &module;
  const jit::Binding &binding;
  const jit::Specialization &specialization;
  std::array<uint32_t, 3> grid;
  std::optional<compiler::Target> gpu, cpu; // for which stages are made
};

// Fails where there is no tile IR. A target for which no code can be made has a stage that says why.
Result<CodeView> viewCode(const CodeRequest &request, Places &places);

} // namespace nereid::view
