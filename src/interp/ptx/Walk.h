// Walk.h: follows the warps of a launch through the blocks of their kernel, and counts what they execute.
//
// Only what branches and accesses to shared memory depend on is computed (a slice of the kernel); loads of global memory in
// it read the memory of the tensors (WalkMemory.h). Where that is what other warps stored in shared memory, the warps of a
// program go on from barrier to barrier; else they do not wait for each other: whoever waits finds that it is over. Where a
// branch depends on something that is not known, as on what another program computed, it is not taken; a loop that comes
// around with nothing changed is left.
#pragma once

#include "interp/ptx/Kernel.h"
#include "interp/ptx/WalkMemory.h"

namespace nereid::interp::ptx {

struct WalkOptions {
  std::vector<uint64_t> parameters; // the first bytes of each parameter of the kernel
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint32_t threads = 128; // of a program
  // Instructions of the slice that are computed at most. Beyond them only some of the programs are walked, evenly spread,
  // and stand for the others.
  uint64_t mostSteps = 2'000'000;
};

// What warps executed.
struct WalkCounts {
  uint64_t tensorInstructions = 0, fp32Instructions = 0, barriers = 0;
  uint64_t bankConflicts = 0; // turns lost in shared memory
  WalkCounts &operator+=(const WalkCounts &other);
};

struct WalkedLine {
  uint32_t file, line;
  WalkCounts counts;
};

struct Walked {
  std::vector<uint64_t> runs;    // by block: of warps of the programs that were walked
  std::vector<uint64_t> lost;    // by instruction: their turns in shared memory
  std::vector<WalkedLine> lines; // of files and lines, in order
  WalkCounts total;
  uint64_t programs = 0, walked = 0; // of the grid, and those that were walked
  uint64_t guesses = 0;              // branches on what is not known
  bool isWhole = true;               // false: a warp came to no end, and the counts are none
};

Walked walk(const Kernel &kernel, const WalkOptions &options, WalkMemory &memory);

// Lines and total once more, where more is known of what the instructions are (takeAssembled).
void countWork(const Kernel &kernel, Walked &walked);

} // namespace nereid::interp::ptx
