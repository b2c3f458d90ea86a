// CountedCode.h: the code that a GPU would run for a launch that is counted: who accesses what, what a thread and a program
// take, and how many programs fit on a multiprocessor.
#pragma once

#include "gpu/CodeFacts.h"
#include "interp/count/Counts.h"
#include "interp/ptx/Walk.h"
#include "jit/SpecializedTile.h"
#include "jit/count/DeviceRow.h"
#include "runtime/cuda/AssembledLines.h"

namespace nereid::jit {

// Whether the assembler is asked for registers, which takes longer than all else; not where they are known already.
struct Assembling {
  bool isWanted = true;
  uint32_t registers = 0, spillBytes = 0;
  std::vector<cuda::Fp32Line> fp32Lines = {};
  bool isAsked() const { return isWanted && !registers; }
};

struct CountedCode {
  gpu::CodeFacts facts;
  std::string remarks;                    // why loops and products are not faster, rendered
  uint32_t threads = 0, sharedBytes = 0;  // of a program
  uint32_t registers = 0, spillBytes = 0; // of a thread; 0 where there is no assembler
  uint32_t codeBytes = 0;                 // of the instructions; 0 where there is no assembler
  // Of a multiprocessor of the device: programs that run on it at the same time, and what there is not enough of for more.
  uint32_t residentPrograms = 1;
  std::string limitedBy; // "shared memory", "registers", "threads", "programs"
  double occupancy = 0;  // of its threads

  // What its warps executed in the launch; none: the code could not be followed.
  struct ExecutedLine {
    std::string file;
    unsigned line;
    interp::ptx::WalkCounts counts;
  };
  std::vector<ExecutedLine> executed;
  std::optional<interp::ptx::Walked> walked;
  // For a second walk when the launch is over.
  struct Followed {
    interp::ptx::Kernel kernel;
    interp::ptx::WalkOptions options;
    interp::ptx::WalkMemory memory;
  };
  std::shared_ptr<Followed> followed;

  // One line for each thing that the code does at a place, in the order of lines: "line 12: reads of 16 bytes a thread".
  struct Note {
    std::string file;
    unsigned line;
    std::string text;
    bool operator==(const Note &) const = default;
  };
  std::vector<Note> notes() const;
};

// Of the L1 cache of a multiprocessor, beside the shared memory of the programs on it.
uint64_t firstCacheBytes(const CountedCode &code, const DeviceRow &device);

// Compiles the kernel, or finds in the disk cache what is needed of its code, and follows its warps.
Result<CountedCode> codeFor(KernelModule &module, const Binding &binding, const std::array<uint32_t, 3> &grid,
                            const gpu::Target &target, const DeviceRow &device, const Assembling &assembling);

// After the launch: follows its warps again where the way depends on what programs wrote for each other.
void followAgain(CountedCode &code, std::span<const interp::ReadOfWritten> reads);

// How the counters of the interpreter follow the accesses.
std::vector<interp::AccessPlan> plansOf(const gpu::CodeFacts &facts);

} // namespace nereid::jit
